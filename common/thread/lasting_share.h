// LastingShare limits the memory that one user's requests leave in the process for good, for example by new symbols.
// The end of a request does not free it, so that without a limit one user could take all memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace pelorus {

// The number of bytes that the requests of one user left. Thread-safe. The requests of a user share it; the process
// keeps one for each user who ran any.
class LastingShare {
public:
    // Adds the bytes and returns true; or adds nothing and returns false, when the sum would exceed `most`.
    bool take(int64_t bytes, int64_t most) {
        if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= most) return true;
        used_.fetch_sub(bytes, std::memory_order_relaxed);
        return false;
    }
    int64_t usedBytes() const { return used_.load(std::memory_order_relaxed); }

    // Returns the share of a user, made at the first call.
    static std::shared_ptr<LastingShare> ofUser(const std::string& user);

private:
    std::atomic<int64_t> used_{0};
};

}  // namespace pelorus
