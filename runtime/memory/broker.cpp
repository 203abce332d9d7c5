#include "runtime/memory/broker.h"

#include <algorithm>

#include "runtime/memory/budget.h"

namespace pelorus::memory {

static std::atomic<int64_t> largestGrant{0};

void setLargestGrantBytes(int64_t bytes) {
    largestGrant = bytes;
}

int64_t availableBytes() {
    const int64_t limit = limitBytes();
    if (limit <= 0) return INT64_MAX;
    return std::max<int64_t>(0, limit - usedBytes() + cachedBytes());
}

bool Grant::hold(int64_t moreBytes) {
    const int64_t held = held_.fetch_add(moreBytes, std::memory_order_relaxed) + moreBytes;
    if (held <= kLeastGrantBytes) return true;
    const int64_t largest = largestGrant.load(std::memory_order_relaxed);
    return (largest <= 0 || held <= largest) && held <= availableBytes();
}

}  // namespace pelorus::memory
