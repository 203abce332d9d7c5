// Memory accounting of rows that an operator holds.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/value/value.h"

namespace pelorus {

// Returns the bytes of columns: their values, and strings by length. An arena is shared by all parts of a column, and
// often with the table that the rows come from: it is nobody's alone. Scalars and tuples count as nothing. O(strings).
int64_t heldBytes(std::span<const Value> columns);

}  // namespace pelorus
