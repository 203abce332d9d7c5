// Groups of rows by the distinct values of one or several key columns: groupby, contextby, pivot.
#pragma once

#include <vector>

#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

struct KeyGroups {
    // Row numbers per group in the order of the data; groups in order of first appearance, or of their keys.
    std::vector<std::vector<int32_t>> rows;

    // Returns one row of each group, from which its keys can be read.
    Ref<Vector> firstRows() const;
};

// Returns the key columns of an argument: a vector, a matrix by column, or a tuple of vectors. All have one length.
std::vector<Value> keyColumns(const Value& keys, int argument);
KeyGroups groupByKeys(const std::vector<Value>& keys, bool sorted);

// Returns the rows of a value: elements of a vector or tuple, rows of a matrix or table; a scalar repeats.
Value rowsAt(const Value& v, const std::vector<int32_t>& rows);

}  // namespace pelorus
