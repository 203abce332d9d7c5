// What one user's requests may leave in the process for good, as distinct symbols do: no end of a request gives it
// back, so that one user could take all memory by it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace pelorus {

// A count of the bytes that the requests of one user left. Thread-safe. Shared by the user's requests; the process
// keeps one for each user who ran any.
class LastingShare {
public:
    // Counts the bytes, and returns true; or returns false, counting nothing, when more than `most` would be left.
    bool take(int64_t bytes, int64_t most) {
        if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= most) return true;
        used_.fetch_sub(bytes, std::memory_order_relaxed);
        return false;
    }
    int64_t usedBytes() const { return used_.load(std::memory_order_relaxed); }

    static std::shared_ptr<LastingShare> ofUser(const std::string& user);

private:
    std::atomic<int64_t> used_{0};
};

}  // namespace pelorus
