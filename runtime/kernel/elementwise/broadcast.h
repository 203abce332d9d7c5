// Operands adapted to the cells of a matrix or the values of an array vector, for elementwise operations.
#pragma once

#include "runtime/value/array_vector.h"
#include "runtime/value/vector.h"

namespace pelorus {

// Returns the cells of a matrix; a vector, which applies to every column, once for each; a scalar as it is. Throws
// UserError when the vector does not fit the rows.
Value broadcastToCells(const Value& v, const Matrix& shape);

// Returns scalars as they are, the values of an array vector with the same rows, and a vector's elements repeated along
// the rows.
Value broadcastToValues(const ArrayVector& rows, const Value& v);

}  // namespace pelorus
