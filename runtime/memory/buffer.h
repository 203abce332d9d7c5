// The bytes under a vector: 64-byte aligned, counted against the process's memory limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace pelorus {

class Buffer {
public:
    // Uninitialised. Throws SystemError when the memory limit or the machine refuses; says how much was asked for.
    explicit Buffer(size_t sizeBytes);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    char* begin() const { return begin_; }
    size_t sizeBytes() const { return sizeBytes_; }

private:
    char* begin_;
    size_t sizeBytes_;
    size_t allocatedBytes_;
};

}  // namespace pelorus
