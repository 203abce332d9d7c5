// Operators on strings: `+` concatenates (NULL counts as empty), comparison is bytewise, SYMBOL is compared by codes
// where possible.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/value/value.h"

namespace pelorus {

// REQUIRES: `op` is Add or a comparison, at least one side is a string, and sides are scalars or vectors of one length.
Value literalOperation(Operator op, const Value& a, const Value& b);

}  // namespace pelorus
