// Operators on text: `+` joins (NULL counts as empty), comparison is bytewise, SYMBOL through codes where it can.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/value/value.h"

namespace pelorus {

// `op` is Add or a comparison, and at least one side is text. Sides are scalars or vectors of one length.
Value literalOperation(Operator op, const Value& a, const Value& b);

}  // namespace pelorus
