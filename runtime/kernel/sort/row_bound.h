// Rows that can still be among the first in an order, once enough others are known.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/kernel/sort/row_order.h"

namespace pelorus {

// Whether `rowsWithin` knows the order of these items: numbers and temporals with NULLs where they stand by themselves.
bool canBound(const OrderKey& key);

// The positions of items that do not stand behind `bound` in the order of the key; equal ones are among them, and so is
// NaN, wherever that stands. `bound` has the type of the items. O(n), a few comparisons of registers for the usual
// item. REQUIRES: canBound(key).
std::vector<int32_t> rowsWithin(const OrderKey& key, const Value& bound);

}  // namespace pelorus
