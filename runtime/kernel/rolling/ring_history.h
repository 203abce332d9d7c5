// The last rows of one group of a stream, for states that are given numbers of rows (sliding_state.h, rolling_order.h).
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/type_table.h"

namespace pelorus {

// Elements by the number of their row; holds the last `rows` of them. Copies are independent.
template <class T>
class Ring {
public:
    explicit Ring(int64_t rows)
        : elements_(std::bit_ceil(static_cast<size_t>(rows)), null<T>),
          mask_(static_cast<int64_t>(elements_.size()) - 1) {}

    void put(int64_t i, T element) { elements_[static_cast<size_t>(i & mask_)] = element; }
    T operator[](int64_t i) const { return elements_[static_cast<size_t>(i & mask_)]; }
    // Makes place for another row `end`, and keeps the rows from `begin` on.
    void grow(int64_t begin, int64_t end) {
        if (end - begin < std::ssize(elements_)) return;
        Ring larger(end - begin + 1);
        for (int64_t i = begin; i < end; ++i) larger.put(i, (*this)[i]);
        *this = std::move(larger);
    }
    int64_t memoryBytes() const { return static_cast<int64_t>(elements_.capacity() * sizeof(T)); }

private:
    std::vector<T> elements_;
    int64_t mask_;
};

// The rows of a function with one or two arguments, in the place of RollingColumns.
template <size_t kVectors>
class RingHistory {
public:
    explicit RingHistory(int64_t rows) : x_(rows), y_(kVectors == 2 ? rows : 1) {}

    void put(int64_t i, double x, double y) {
        x_.put(i, x);
        if constexpr (kVectors == 2) y_.put(i, y);
    }
    void grow(int64_t begin, int64_t end) {
        x_.grow(begin, end);
        if constexpr (kVectors == 2) y_.grow(begin, end);
    }
    double first(int64_t i) const { return x_[i]; }
    double second(int64_t i) const { return y_[i]; }
    bool valid(int64_t i) const {
        if constexpr (kVectors == 2) return !isNull(x_[i]) && !isNull(y_[i]);
        return !isNull(x_[i]);
    }
    int64_t memoryBytes() const { return x_.memoryBytes() + y_.memoryBytes(); }

private:
    Ring<double> x_, y_;
};

}  // namespace pelorus
