// Alignment of labelled matrices to common labels, for operators on indexed matrices and align.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

enum class LabelJoin : uint8_t { Outer, Inner, Left, AsOf };

// The position of each label of the join on either side, -1 where a side lacks it. Equal labels pair up.
struct LabelPairs {
    std::vector<int64_t> left, right;
    Value labels;
};
// Throws UserError when the labels' types are of different kinds.
LabelPairs joinLabels(const Value& left, const Value& right, LabelJoin join);

// Returns the cells at these row and column positions; -1 selects NULL. Labels are not set.
Ref<Matrix> gatherCells(const Matrix& m, const std::vector<int64_t>& rows, const std::vector<int64_t>& columns);

// Returns 0 … count-1.
std::vector<int64_t> allPositions(int64_t count);

// Brings two indexed matrices to the union of their labels, cells without a source NULL. A series is repeated for the
// columns of a matrix. Values that are not both indexed stay as they are.
void alignIndexed(Value& a, Value& b);

}  // namespace pelorus
