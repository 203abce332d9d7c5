// A total of LONGs in 128 bits: whether a LONG holds it is known at the end, in whatever order the terms came.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/type_table.h"

namespace pelorus {

// A sum of integers. Never overflows: 2^64 terms have room.
class WideTotal {
public:
    void add(int64_t x) {
        low_ += static_cast<uint64_t>(x);
        high_ += (x >> 63) + (low_ < static_cast<uint64_t>(x));
    }
    void subtract(int64_t x) {
        high_ -= (x >> 63) + (low_ < static_cast<uint64_t>(x));
        low_ -= static_cast<uint64_t>(x);
    }
    void add(const WideTotal& other) {
        low_ += other.low_;
        high_ += other.high_ + (low_ < other.low_);
    }
    void subtract(const WideTotal& other) {
        high_ -= other.high_ + (low_ < other.low_);
        low_ -= other.low_;
    }
    // Adds high * 2^32 + low.
    void addHalves(int64_t high, uint64_t low) {
        add({static_cast<uint64_t>(high) << 32, high >> 32});
        add({low, 0});
    }

    // Returns the total, NULL when a LONG cannot hold it.
    int64_t orNull() const {
        const auto low = static_cast<int64_t>(low_);
        return high_ == low >> 63 ? low : null<int64_t>;
    }
    double toDouble() const {
        const int64_t fit = orNull();
        if (fit != null<int64_t>) return static_cast<double>(fit);
        return std::ldexp(static_cast<double>(high_), 64) + static_cast<double>(low_);
    }

    WideTotal() = default;

private:
    WideTotal(uint64_t low, int64_t high) : low_(low), high_(high) {}

    uint64_t low_ = 0;
    int64_t high_ = 0;
};

}  // namespace pelorus
