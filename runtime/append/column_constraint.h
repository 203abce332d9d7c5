// What a condition says of the values of one column: partitions, blocks and entries of indexes are chosen by it.
#pragma once

#include <utility>
#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

// `column op constant` in one of its forms, as a range; NULL counts as the smallest value.
struct ColumnConstraint {
    int column = -1;
    Value low, high;  // VOID: open
    bool lowIncluded = true, highIncluded = true;
    std::vector<Value> anyOf;  // of `in` and `=`: the only values
    bool isExact = true;       // false: rows within the range may fail the condition, as of x < 2 or x > 5 and x < 9
};

// Returns the constraint that the column equals the value.
inline ColumnConstraint columnEquals(int column, Value value) {
    ColumnConstraint constraint;
    constraint.column = column;
    constraint.low = constraint.high = value;
    constraint.anyOf.push_back(std::move(value));
    return constraint;
}

}  // namespace pelorus
