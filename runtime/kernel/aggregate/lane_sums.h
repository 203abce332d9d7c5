// Sums of many values of one group in SIMD lanes.
//
// Which values meet in a lane depends on their count alone, so the result is the same on every machine.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/kernel/aggregate/wide_total.h"

namespace pelorus {

// Adds the values that are not NULL; returns how many these are.
int64_t addInLanes(CompensatedSum& sum, const double* elements, int64_t count);
// Returns the sum of the values that are not NULL, and how many these are.
std::pair<WideTotal, int64_t> integerTotal(const int64_t* elements, int64_t count);

}  // namespace pelorus
