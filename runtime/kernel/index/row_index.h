// Indexing of values made of rows, array vectors and columnar tuples: an index selects inside every row.
#pragma once

#include <span>
#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

// Returns whether the rules of this file hold for the value.
bool isRowwise(const Value& object);

// Return how many rows a matrix, table, tuple of vectors, array vector or columnar tuple has, and one of them as a
// vector. A scalar is the same in every row.
int64_t rowCountOf(const Value& x);
Value rowOf(const Value& x, int64_t r);

// Concatenates rows to a columnar tuple, or to an array vector where their elements allow it.
Value rowsFrom(std::vector<Value> rows, bool columnar);

// Reads a[i], a[i:j], a[rows], a[mask], a[r, c]; an omitted row index takes all rows.
Value readRowwise(const Value& object, std::span<const Value> indices);

// Assigns a[r, c] = value in place; the caller owns `object`. Nothing has changed when it throws UserError.
void writeRowwise(Value& object, std::span<const Value> indices, const Value& value);

}  // namespace pelorus
