// Rows numbered by the distinct values of one or several key columns: groupby, contextby, pivot.
#pragma once

#include <vector>

#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

struct KeyGroups {
    // Rows of each group in the order of the data; groups in order of first appearance, or of their keys.
    std::vector<std::vector<int32_t>> rows;

    // One row of each group, from which its keys can be read.
    Ref<Vector> firstRows() const;
};

// The key columns of an argument: a vector, a matrix by column, or a tuple of vectors. All of one length.
std::vector<Value> keyColumns(const Value& keys, int argument);
KeyGroups groupByKeys(const std::vector<Value>& keys, bool sorted);

// The rows of a value: items of a vector or tuple, rows of a matrix or table; a scalar repeats.
Value rowsAt(const Value& v, const std::vector<int32_t>& rows);

}  // namespace pelorus
