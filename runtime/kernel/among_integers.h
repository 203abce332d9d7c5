// Membership in a handful of integers: comparing with each of them in registers costs less than hashing.
#pragma once

#include "runtime/vector.h"

namespace pelorus {

// Whether each item of x is one of the keys, into out (BOOL, one for each item). False, and nothing written, unless
// both are integral, or of one temporal type of integers, and the keys are at most 16 or lie close together. NULL is
// found where a key is NULL.
bool findAmongIntegers(const Vector& x, const Vector& keys, int8_t* out);

}  // namespace pelorus
