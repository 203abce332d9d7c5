// Many results as one value: list literals and the assembly rules of higher-order functions (HOF-02).
#pragma once

#include <vector>

#include "runtime/value.h"

namespace pelorus {

// [a, b, c]: scalars of a common type make a vector; everything else a tuple.
Value listOf(std::vector<Value> items);

// Rule D: scalars make a vector, vectors of one length a matrix, dictionaries a table; otherwise a tuple.
Value assemble(std::vector<Value> items);

}  // namespace pelorus
