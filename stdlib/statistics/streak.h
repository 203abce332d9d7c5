// Sums over runs of consecutive values.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/type_table.h"

namespace pelorus {

// Adds one more positive value to the sum of a run; NULL once a LONG cannot hold it, as sum does.
inline int64_t longerStreak(int64_t streak, int64_t element) {
    int64_t longer;
    return isNull(streak) || __builtin_add_overflow(streak, element, &longer) ? null<int64_t> : longer;
}

// Returns the larger sum; NULL, which is more than a LONG holds, is the largest.
inline int64_t largerStreak(int64_t a, int64_t b) {
    return isNull(a) || isNull(b) ? null<int64_t> : std::max(a, b);
}

}  // namespace pelorus
