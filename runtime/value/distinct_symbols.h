// The distinct elements of a SYMBOL vector, so that what depends on an element alone is computed once for each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

struct DistinctSymbols {
    Ref<Vector> elements;            // SYMBOL, in the order of their first rows
    std::vector<int32_t> positions;  // of each row's element among them
};

// Returns the distinct elements of a SYMBOL vector, nothing when they are more than an eighth of its rows, or its rows
// fewer than 64: then working on them would save nothing. O(n), without a lookup of strings.
std::optional<DistinctSymbols> distinctSymbols(const Vector& symbols);

}  // namespace pelorus
