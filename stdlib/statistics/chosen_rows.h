// States of the aggregates that choose a row by its value: imin, imax and related functions, and atImin, atImax.
#pragma once

#include "runtime/kernel/aggregate/aggregate.h"

namespace pelorus {

enum class RowChoice : uint8_t { Min, LastMin, Max, LastMax, First, Last };

// State whose result is the position of the chosen row among those of its group, as INT; -1 where all values are NULL.
std::unique_ptr<GroupedState> makeChosenPosition(RowChoice choice, Type elements);

// State whose result is the value of a second column in the chosen row, of type `values`; NULL where all of the first
// column are.
std::unique_ptr<GroupedState> makeChosenValue(RowChoice choice, Type elements, Type values);

}  // namespace pelorus
