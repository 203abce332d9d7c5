// Properties that have been proven of a vector's elements. Unknown is always right.
//
// Readers may prove and remember a property while others read, several at once; writing forgets.
#pragma once

#include <atomic>
#include <cstdint>

namespace pelorus {

enum class VectorProperty : uint8_t {
    NoNull = 1,
    // No element is smaller, or larger, than the one before it, as numbers: NULL is the smallest.
    Ascending = 2,
    Descending = 4,
};

class VectorProperties {
public:
    VectorProperties() = default;
    VectorProperties(const VectorProperties& other) : bits_(other.bits()) {}
    VectorProperties& operator=(const VectorProperties& other) {
        bits_.store(other.bits(), std::memory_order_relaxed);
        return *this;
    }

    bool holds(VectorProperty property) const { return (bits() & static_cast<uint8_t>(property)) != 0; }
    void set(VectorProperty property) { bits_.fetch_or(static_cast<uint8_t>(property), std::memory_order_relaxed); }
    void clear(VectorProperty property) {
        bits_.fetch_and(static_cast<uint8_t>(~static_cast<uint8_t>(property)), std::memory_order_relaxed);
    }
    void clearAll() { bits_.store(0, std::memory_order_relaxed); }

private:
    uint8_t bits() const { return bits_.load(std::memory_order_relaxed); }

    std::atomic<uint8_t> bits_{0};
};

}  // namespace pelorus
