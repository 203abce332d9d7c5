// A filter of rows by the keys that the other side of a join has: a set of bits over the range of the keys.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

// Returns the positions of the rows whose key may be among `keys`, in order; NULL is none of them. Both vectors have
// one type. Nothing where the type is no integer, time or symbol, or the range of the keys is too wide for a set of
// bits. O(rows + keys + range / 64), on all threads.
std::optional<std::vector<int32_t>> rowsWithKeyAmong(const Vector& rows, const Vector& keys);

}  // namespace pelorus
