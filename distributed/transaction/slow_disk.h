// Rule by which a node knows that its disk is much slower than those of the others.
//
// It reads no clock: whoever drives it says what time it is. Not thread-safe. Owned by SyncStates.
#pragma once

#include <chrono>
#include <cstdint>

namespace pelorus {

class SlowDisk {
public:
    using Time = std::chrono::steady_clock::time_point;

    // Whether one of these is slow beside the other: ten times as long, and long enough to be felt.
    static bool isSlow(std::chrono::microseconds own, std::chrono::microseconds others);
    // Looks at how long syncs take of late and how many have ended, here, and how long they take at the others (0: not
    // known). Returns true once the disk was slow at all looks of five seconds in which it worked.
    bool look(Time now, std::chrono::microseconds own, uint64_t ended, std::chrono::microseconds others);

private:
    Time slowSince_;
    bool isSlow_ = false;
    uint64_t ended_ = 0;
};

}  // namespace pelorus
