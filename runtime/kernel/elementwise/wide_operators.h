// Operators over items of 16 bytes: UUID, IPADDR and INT128 compare, COMPLEX computes, POINT compares for equality.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/value/value.h"

namespace pelorus {

// Scalars and vectors of one length, at least one side of such a type. Text beside UUID, IPADDR or INT128 is read as
// one. Throws UserError for operators the types don't have.
Value wideOperation(Operator op, const Value& a, const Value& b);

}  // namespace pelorus
