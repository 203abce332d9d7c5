// The range of a vector's values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "common/widest.h"

namespace pelorus {

template <class T>
struct ValueRange {
    T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::min();

    bool isEmpty() const { return low > high; }
    int64_t width() const { return static_cast<int64_t>(high) - static_cast<int64_t>(low) + 1; }
    void include(const ValueRange& other) {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
};

enum class NullValues : uint8_t { Count, Skip };

template <class T>
ValueRange<T> rangeOf(const T* elements, int64_t count, NullValues nulls = NullValues::Count) {
    const bool skip = nulls == NullValues::Skip;
    const auto [low, high] = onWidest([=]() __attribute__((always_inline)) {
        T least = std::numeric_limits<T>::max(), greatest = std::numeric_limits<T>::min();
        // NULL is the smallest value, so it never is the max of those that are not NULL. There are two loops, since
        // with the choice inside one the compiler makes no vector code of it.
        if (skip) {
            for (int64_t i = 0; i < count; ++i) {
                const T x = elements[i];
                const T other = x == std::numeric_limits<T>::min() ? std::numeric_limits<T>::max() : x;
                least = other < least ? other : least;
                greatest = x > greatest ? x : greatest;
            }
        } else {
            for (int64_t i = 0; i < count; ++i) {
                const T x = elements[i];
                least = x < least ? x : least;
                greatest = x > greatest ? x : greatest;
            }
        }
        return std::pair(least, greatest);
    });
    return {low, high};
}

}  // namespace pelorus
