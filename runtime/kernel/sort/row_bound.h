// Rows that can still be among the first in an order, once enough others are known.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/kernel/sort/row_order.h"

namespace pelorus {

// Returns whether `rowsWithin` supports the key: numbers and temporals with NULLs in their natural place.
bool canBound(const OrderKey& key);

// Returns the positions of elements that do not sort after `bound` in the order of the key: equal ones are included,
// and so are all NaN. `bound` has the type of the elements. O(n), a few comparisons of registers for the usual element.
// REQUIRES: canBound(key).
std::vector<int32_t> rowsWithin(const OrderKey& key, const Value& bound);

}  // namespace pelorus
