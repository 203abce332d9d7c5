// Buffer of a vector: 64-byte aligned, counted against the process's memory limit.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace pelorus {

class BlockRanges;

class Buffer {
public:
    // Allocates uninitialised memory. Throws SystemError, naming the size asked for, when the memory limit or the
    // machine refuses.
    explicit Buffer(size_t sizeBytes);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    char* begin() const { return begin_; }
    size_t sizeBytes() const { return sizeBytes_; }

    // Returns the value ranges that readers found for its blocks, of which there are at most so many; made on first
    // use.
    BlockRanges& ranges(size_t blocks) const;
    // Called by the only owner of the buffer before it overwrites values that readers may have seen.
    void forgetRanges() {
        if (ranges_.load(std::memory_order_relaxed)) dropRanges();
    }

private:
    void dropRanges();

    char* begin_;
    size_t sizeBytes_;
    size_t allocatedBytes_;
    mutable std::atomic<BlockRanges*> ranges_{nullptr};
};

}  // namespace pelorus
