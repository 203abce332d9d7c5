// Aggregates of many ranges of one column. Short ranges are read; for long ones sums come from prefix sums and extremes
// from a pyramid, so that a range costs about the same however long it is.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/value.h"

namespace pelorus {

struct RowSpan {
    int32_t begin = 0, end = 0;
};

// sum, avg, count, min, max, first or last of the items of each range, NULLs left out (first and last take them), as
// that aggregate gives it, in a type that holds it. Ranges without an item give NULL, count 0. The result for a range
// depends on its items and on the length of all ranges together, never on threads. Void for other functions and types.
Value rangeAggregate(std::string_view function, const Vector& items, std::span<const RowSpan> ranges);

}  // namespace pelorus
