// Scatter of columns into the order of groups: each value is written to its target position.
//
// The values are read in order and written to as many positions as there are groups at a time. A gather group by group
// would read the whole column from memory again and again.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

// Writes element i of `data` to position places[i] of the result; `places` is a permutation.
// REQUIRES: the elements are not strings.
Ref<Vector> scattered(const Vector& items, const int32_t* places);

// Repeats element g in the positions from begin[g] to begin[g + 1].
// REQUIRES: the elements are not strings.
Ref<Vector> repeated(const Vector& items, const std::vector<int32_t>& begin);

}  // namespace pelorus
