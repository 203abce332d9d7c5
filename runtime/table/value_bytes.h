// The memory that a value takes.
#pragma once

#include <cstdint>

#include "runtime/value/value.h"

namespace pelorus {

// Returns the bytes of a value with all that it holds, shared buffers counted at each use. Values may be nested deeper
// than the stack is large. O(elements that are values themselves).
int64_t memoryBytesOf(const Value& value);

}  // namespace pelorus
