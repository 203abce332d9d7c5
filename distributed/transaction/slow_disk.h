// Detects that the disk of this node is much slower than those of the others.
#pragma once

#include <chrono>
#include <cstdint>

namespace pelorus {

// A detector that compares the times of syncs of the log. SyncStates owns it and polls it. It reads no clock: the
// caller says what time it is. Not thread-safe.
class SlowDisk {
public:
    using Time = std::chrono::steady_clock::time_point;

    // Returns whether a sync here is slow: more than ten times as long as at the others, and longer than 50 ms. False
    // when the time of the others is not known (0).
    static bool isSlow(std::chrono::microseconds own, std::chrono::microseconds others);
    // Takes the recent mean times of syncs here and at the others (0: not known), and how many have ended here. Returns
    // true, and begins anew, when the disk has been slow at every poll for five seconds. A poll between which and the
    // one before no sync has ended does not count, unless one sync takes five seconds.
    bool look(Time now, std::chrono::microseconds own, uint64_t ended, std::chrono::microseconds others);

private:
    Time slowSince_;
    bool isSlow_ = false;
    uint64_t ended_ = 0;  // number of syncs at the last poll
};

}  // namespace pelorus
