// Operators over 16-byte values: UUID, IPADDR and INT128 compare, COMPLEX computes, POINT compares for equality.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/value/value.h"

namespace pelorus {

// REQUIRES: scalars and vectors of one length, at least one side of such a type. A string compared with UUID, IPADDR or
// INT128 is parsed as one. Throws UserError for operators the types don't have.
Value wideOperation(Operator op, const Value& a, const Value& b);

}  // namespace pelorus
