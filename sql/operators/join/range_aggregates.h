// Aggregates of many ranges of one column. Short ranges are read; for long ones sums come from prefix sums and extremes
// from a pyramid, so that a range costs about the same however long it is.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "runtime/registry/declaration.h"
#include "runtime/value/value.h"

namespace pelorus {

struct RowSpan {
    int32_t begin = 0, end = 0;
};

// A sum of doubles with an error term of its own: the difference of two such prefixes is as good as the sum itself.
struct DoubleDouble {
    double high = 0, low = 0;
    void add(double x) {
        const double sum = high + x, part = sum - high;
        const double error = ((high - (sum - part)) + (x - part)) + low;
        high = sum + error;
        low = error - (high - sum);
    }
    double minus(const DoubleDouble& other) const {
        const double difference = high - other.high, part = difference - high;
        const double error = (high - (difference - part)) - (other.high + part);
        return difference + (error + (low - other.low));
    }
};

// sum, avg, count, min, max, first or last of the items of each range, NULLs left out (first and last take them), as
// that aggregate gives it, in a type that holds it. Ranges without an item give NULL, count 0. Void for other functions
// and types.
//
// `groups`: where groups of items begin, and the end of the last; no range reaches beyond its group. The result for a
// range depends on its group only: not on threads, nor on what else stands in the column. Where `items` are the end of
// a group of FLOAT or DOUBLE, `before` is the sum of the others.
Value rangeAggregate(Role function, const Vector& items, std::span<const RowSpan> ranges,
                     std::span<const int32_t> groups, const DoubleDouble& before = {});
// Sums of some items before those at hand, by the source of what is summed.
using SumsBefore = std::map<std::string, DoubleDouble>;
// What it adds to such a sum.
void addItems(const Vector& items, DoubleDouble& sum);

}  // namespace pelorus
