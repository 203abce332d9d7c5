// Type promotion: the type in which an operator computes, and the type of its result, as one decision per pair of
// types.
#pragma once

#include <cstdint>

#include "common/type_table.h"
#include "runtime/code/expression.h"

namespace pelorus {

struct BinaryPlan {
    Type operands;  // both operands are cast to this
    Type result;
    int64_t wrap = 0;  // times of day are taken modulo this
};

// Plans an operation on numbers and temporals. Throws UserError when the language has no such operation; the message
// names the operator and both types.
BinaryPlan planBinary(Operator op, Type left, Type right);

// Returns the wider of two numeric types; BOOL with BOOL is INT when `arithmetic`.
Type widerNumber(Type a, Type b, bool arithmetic);

// Returns the type that holds the values of both, as in a list literal or the branches of iif; Any when there is none.
Type commonType(Type a, Type b);

// Returns the number of units after which times of day wrap; 0 for other types.
int64_t wrapOf(Type type);

}  // namespace pelorus
