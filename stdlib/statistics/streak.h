// Sums of items in a row.
#pragma once

#include <cstdint>

namespace pelorus {

// With one more item; beyond the range of LONG it goes around, as sum does.
inline int64_t longerStreak(int64_t streak, int64_t item) {
    return static_cast<int64_t>(static_cast<uint64_t>(streak) + static_cast<uint64_t>(item));
}

}  // namespace pelorus
