// Columns of rows that are brought together by group: each item is written to its place.
//
// The items are read in order and written to as many places as there are groups at a time. Picking them group by group
// would read the whole column from memory again and again.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

// Item i of the result's place[i] is item i; `places` is a permutation.
// REQUIRES: the items are no texts.
Ref<Vector> scattered(const Vector& items, const int32_t* places);

// Item g in the places from begin[g] to begin[g + 1].
// REQUIRES: the items are no texts.
Ref<Vector> repeated(const Vector& items, const std::vector<int32_t>& begin);

}  // namespace pelorus
