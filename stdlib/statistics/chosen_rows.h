// States of the aggregates that choose a row by its item: imin, imax and their like, and atImin, atImax.
#pragma once

#include "runtime/kernel/aggregate/aggregate.h"

namespace pelorus {

enum class RowChoice : uint8_t { Least, LastLeast, Greatest, LastGreatest, First, Last };

// The position of the chosen row among those of its group, as INT; -1 where all items are NULL.
std::unique_ptr<GroupedState> makeChosenPosition(RowChoice choice, Type items);

// The item of a second column there, of type `values`; NULL where all items of the first are.
std::unique_ptr<GroupedState> makeChosenValue(RowChoice choice, Type items, Type values);

}  // namespace pelorus
