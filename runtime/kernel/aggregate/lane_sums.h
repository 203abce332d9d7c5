// Sums of many items of one group, side by side in the registers of the processor.
//
// Which items meet in a lane depends on their number alone, so the result has one value on every machine.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/kernel/aggregate/aggregate.h"

namespace pelorus {

// Adds the items that are no NULL; returns how many these are.
int64_t addInLanes(CompensatedSum& sum, const double* items, int64_t count);
// The sum of the items that are no NULL, wrapping, and how many these are.
std::pair<uint64_t, int64_t> integerTotal(const int64_t* items, int64_t count);

}  // namespace pelorus
