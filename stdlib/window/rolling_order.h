// The rows of a window in order, and its extremes: states for functions without a merge. See sliding.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/type_table.h"
#include "stdlib/window/sliding_state.h"

namespace pelorus {

// The values of the window in ascending order.
//
// Windows of few rows are kept as a sorted list: a row enters and leaves by moving memory, O(window) but quick. Long
// ones use a Fenwick tree of counts over the ranks of all rows: O(log n) per row.
class RollingOrder {
public:
    // `longest` is the number of rows of the longest window.
    RollingOrder(RollingColumns columns, int64_t rows, int64_t longest);

    void add(int64_t i);
    void remove(int64_t i);
    int64_t count() const { return count_; }
    // Returns how many values of the window are below x, and how many are not above it.
    std::pair<int64_t, int64_t> placesOf(double x) const;
    // Returns element k of the window in order. REQUIRES: k < count().
    double element(int64_t k) const;

private:
    void change(int64_t i, int64_t by);
    // Returns how many values of the window stand before a place in sorted_.
    int64_t before(std::vector<double>::const_iterator place) const;

    RollingColumns columns_;
    bool listed_;
    std::vector<double> sorted_;  // the window's values, or all distinct ones
    std::vector<int32_t> ranks_;  // rank of every row, when not listed
    std::vector<int64_t> tree_;
    int64_t count_ = 0;
};

// The row of the smallest or largest value, the first or last of equal ones. Keeps a monotonic queue: each row is
// better than those after it, so add and remove are amortised O(1).
template <bool kMax, bool kLast, class Elements>
class RollingExtreme {
public:
    // `elements` has row i as elements[i]: a pointer, or the last rows of a stream.
    explicit RollingExtreme(Elements elements) : elements_(std::move(elements)) {}
    Elements& elements() { return elements_; }
    void add(int64_t i) {
        while (rows_.size() > head_ && yields(rows_.back(), i)) rows_.pop_back();
        rows_.push_back(i);
    }
    void remove(int64_t i) {
        if (rows_.size() > head_ && rows_[head_] == i) ++head_;
        if (head_ > kLongHead && head_ * 2 > rows_.size()) {
            rows_.erase(rows_.begin(), rows_.begin() + static_cast<ptrdiff_t>(head_));
            head_ = 0;
        }
    }
    int64_t row() const { return rows_[head_]; }
    int64_t memoryBytes() const { return static_cast<int64_t>(rows_.capacity() * sizeof(int64_t)); }

private:
    static constexpr size_t kLongHead = 1024;
    bool yields(int64_t old, int64_t now) const {
        if (kLast && elements_[old] == elements_[now]) return true;
        return kMax ? elements_[now] > elements_[old] : elements_[now] < elements_[old];
    }
    Elements elements_;
    std::vector<int64_t> rows_;
    size_t head_ = 0;
};

}  // namespace pelorus
