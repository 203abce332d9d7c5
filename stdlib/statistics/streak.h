// Sums over runs of consecutive values.
#pragma once

#include <cstdint>

namespace pelorus {

// Adds one more value; beyond the range of LONG it wraps, as sum does.
inline int64_t longerStreak(int64_t streak, int64_t item) {
    return static_cast<int64_t>(static_cast<uint64_t>(streak) + static_cast<uint64_t>(item));
}

}  // namespace pelorus
