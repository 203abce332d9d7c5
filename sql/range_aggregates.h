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
// that aggregate gives it, in a type that holds it. Ranges without an item give NULL, count 0. Void for other functions
// and types.
//
// `groups`: where groups of items begin, and the end of the last; no range reaches beyond its group. The result for a
// range depends on its group only: not on threads, nor on what else stands in the column.
Value rangeAggregate(std::string_view function, const Vector& items, std::span<const RowSpan> ranges,
                     std::span<const int32_t> groups);

}  // namespace pelorus
