// Operators where at least one side is a decimal.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/value/value.h"

namespace pelorus::decimal {

// Computes + - * / % and comparisons where at least one side is decimal and the other one a decimal or a number;
// scalars and vectors of one length. With a float the result is DOUBLE. A result that does not fit is computed again in
// the next wider type; beyond DECIMAL128 it is a UserError. `scale` >= 0 asks for that scale of a product.
Value operation(Operator op, const Value& a, const Value& b, int scale = -1);

}  // namespace pelorus::decimal
