// A bool that readers may set while others read it, without an order: what it says is true whenever it is read.
//
// Costs what a bool costs; copying it copies what it says.
#pragma once

#include <atomic>

namespace pelorus {

class RelaxedFlag {
public:
    RelaxedFlag(bool value) : value_(value) {}
    RelaxedFlag(const RelaxedFlag& other) : value_(static_cast<bool>(other)) {}
    RelaxedFlag& operator=(const RelaxedFlag& other) { return *this = static_cast<bool>(other); }
    RelaxedFlag& operator=(bool value) {
        value_.store(value, std::memory_order_relaxed);
        return *this;
    }
    operator bool() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<bool> value_;
};

}  // namespace pelorus
