// Memory broker: decides how much memory each operator with state may hold. Operators report how much they hold; one
// that is refused spills its own state. No operator is stopped for another's sake.
//
// A holder may have as much as it leaves free, so that there is memory for the results it makes of its state: alone
// half of the available memory, two of them a third each, and never less than kLeastGrantBytes.
#pragma once

#include <atomic>
#include <cstdint>

namespace pelorus::memory {

constexpr int64_t kLeastGrantBytes = int64_t{1} << 20;

// A grant of memory, which one operator holds. Thread-safe.
class Grant {
public:
    Grant() = default;
    Grant(const Grant&) = delete;
    Grant& operator=(const Grant&) = delete;

    // Reports that the holder has so many bytes more (or, below zero, fewer), which are allocated already. Returns
    // whether it may keep all that it has.
    bool hold(int64_t moreBytes);
    int64_t heldBytes() const { return held_.load(std::memory_order_relaxed); }

private:
    std::atomic<int64_t> held_{0};
};

// Limits each grant, however much is free; 0 means no limit. The result of a query does not depend on it.
void setLargestGrantBytes(int64_t bytes);

// Returns how much can still be allocated before the limit, after caches have freed all they hold; INT64_MAX without a
// limit.
int64_t availableBytes();

}  // namespace pelorus::memory
