// Stable order of rows by one or several keys. NULLs come first ascending and last descending; SYMBOL orders by its
// string.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

struct SortKey {
    const Vector* elements;
    bool ascending = true;
};

// Returns the positions of the rows in order. Throws UserError beyond 2^31 rows. REQUIRES: at least one key, all of one
// length.
std::vector<int32_t> sortedOrder(std::span<const SortKey> keys);

// Returns -1, 0 or 1 when element i of a sorts before, equal to or after element j of b, which has the same type. NULL
// is the smallest.
int compareElements(const Vector& a, int64_t i, const Vector& b, int64_t j);

// Returns whether no element is larger (ascending) or smaller (descending) than the next one. O(n), once while the
// elements do not change.
bool inOrder(const Vector& elements, bool ascending);

}  // namespace pelorus
