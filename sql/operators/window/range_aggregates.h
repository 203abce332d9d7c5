// Aggregates of many ranges of one column. Short ranges are read; for long ones sums come from prefix sums, min and max
// from a pyramid, so that the cost of a range is about independent of its length.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/code/expression.h"
#include "runtime/registry/declaration.h"
#include "runtime/value/value.h"

namespace pelorus {

struct RowSpan {
    int32_t begin = 0, end = 0;
    bool operator==(const RowSpan&) const = default;
};

// A sum of doubles with an error term: the difference of two such prefixes is as exact as the sum itself.
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

// Computes sum, avg, count, min, max, first or last over the values of each range, NULLs left out (first and last take
// them), like that aggregate, in a type that holds it. Empty ranges yield NULL, count 0. Void for other functions and
// types.
//
// `groups`: the begin of each group of values, and the end of the last; no range reaches beyond its group. The result
// for a range depends on its group only: not on threads, nor on other values of the column. Where `data` are the end
// of a group of FLOAT or DOUBLE, `before` is the sum of the others.
Value rangeAggregate(Role function, const Vector& items, std::span<const RowSpan> ranges,
                     std::span<const int32_t> groups, const DoubleDouble& before = {});
// Sums of the values that precede those at hand, by the summed expression. Not thread-safe.
class SumsBefore {
public:
    // Returns the sum of an expression, 0 before anything was added.
    const DoubleDouble& of(const NodeRef& code) const;
    // The same for adding to it.
    DoubleDouble& changed(const NodeRef& code);

private:
    std::vector<std::pair<NodeRef, DoubleDouble>> sums_;
};
// Adds the values to such a sum.
void addValues(const Vector& items, DoubleDouble& sum);

}  // namespace pelorus
