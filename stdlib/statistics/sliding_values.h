// Aggregates over windows that slide along rows: each row is taken in once, and out once.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/value/value.h"

namespace pelorus {

// Returns the median of the elements of each window [begins[i], ends[i]), as DOUBLE; NULLs are left out, and nothing
// left gives NULL. Memory and time depend on the rows from the first window to the last: O(n log n). VOID where a
// window begins or ends before the one in front of it, empty ones aside, and for NaN and negative zeros, whose place
// among their like is not theirs alone.
Value slidingMedians(std::span<const double> elements, std::span<const int32_t> begins, std::span<const int32_t> ends);

// Returns the number of distinct ones among the elements of each window, which have equal numbers, below `kinds`, where
// they are equal, as INT. VOID as above. O(n).
Value slidingDistinctCounts(std::span<const int32_t> numbers, int64_t kinds, std::span<const int32_t> begins,
                            std::span<const int32_t> ends);

}  // namespace pelorus
