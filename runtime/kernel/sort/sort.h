// Stable order of rows by one or several keys. NULLs come first ascending and last descending; SYMBOL orders by text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

struct SortKey {
    const Vector* items;
    bool ascending = true;
};

// Positions of the rows in order. Throws UserError beyond 2^31 rows. REQUIRES: at least one key, all of one length.
std::vector<int32_t> sortedOrder(std::span<const SortKey> keys);

// -1, 0 or 1 as item i of a stands before, beside or behind item j of b, which has the same type. NULL is the smallest.
int compareItems(const Vector& a, int64_t i, const Vector& b, int64_t j);

// Whether no item is larger (ascending) or smaller (descending) than the next one. O(n), once for items that stay.
bool inOrder(const Vector& items, bool ascending);

}  // namespace pelorus
