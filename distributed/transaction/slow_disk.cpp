#include "distributed/transaction/slow_disk.h"

namespace pelorus {

static constexpr int kSlowFactor = 10;
static constexpr std::chrono::milliseconds kMinSlowSync(50);
static constexpr auto kSlowTimeout = std::chrono::seconds(5);

bool SlowDisk::isSlow(std::chrono::microseconds own, std::chrono::microseconds others) {
    return others.count() > 0 && own > kMinSlowSync && own > kSlowFactor * others;
}

// The times of a disk at rest say nothing new: they neither begin nor complete the five seconds.
bool SlowDisk::look(Time now, std::chrono::microseconds own, uint64_t ended, std::chrono::microseconds others) {
    const bool isNew = ended != ended_;
    ended_ = ended;
    if (!isSlow(own, others)) {
        isSlow_ = false;
        return false;
    }
    if (!isSlow_) {
        isSlow_ = isNew;
        slowSince_ = now;
        return false;
    }
    if (!isNew && own < kSlowTimeout) return false;
    if (now - slowSince_ < kSlowTimeout) return false;
    isSlow_ = false;
    return true;
}

}  // namespace pelorus
