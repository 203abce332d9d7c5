#include "stdlib/statistics/sliding_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "common/check.h"
#include "runtime/value/vector.h"
#include "stdlib/statistics/quantile.h"

namespace pelorus {

namespace {

// Moves `window` from one window to the next, and calls f(i) when it holds the rows of window i, or none. Returns false
// where a window goes back.
template <class Window, class F>
bool slide(Window& window, std::span<const int32_t> begins, std::span<const int32_t> ends, const F& f) {
    CHECK(begins.size() == ends.size()) << "each window begins and ends";
    int32_t begin = 0, end = 0;  // of the rows that it holds
    for (size_t i = 0; i < begins.size(); ++i) {
        if (begins[i] >= ends[i]) {
            f(i, true);
            continue;
        }
        if (begins[i] < begin || ends[i] < end) return false;
        if (begins[i] >= end) {
            for (; begin < end; ++begin) window.remove(begin);
            begin = end = begins[i];
        }
        for (; end < ends[i]; ++end) window.add(end);
        for (; begin < begins[i]; ++begin) window.remove(begin);
        f(i, false);
    }
    return true;
}

// The elements of a window by rank: a tree of counts (Fenwick 1994) that finds the k-th in O(log n).
class RankedWindow {
public:
    // Takes elements without NaN.
    explicit RankedWindow(std::span<const double> elements) : ranks_(elements.size(), -1) {
        for (const double x : elements) {
            if (!isNull(x)) sorted_.push_back(x);
        }
        std::sort(sorted_.begin(), sorted_.end());
        sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
        for (size_t i = 0; i < elements.size(); ++i) {
            if (isNull(elements[i])) continue;
            ranks_[i] = static_cast<int32_t>(std::ranges::lower_bound(sorted_, elements[i]) - sorted_.begin());
        }
        counts_.resize(sorted_.size() + 1);
    }

    void add(int32_t row) { change(ranks_[static_cast<size_t>(row)], 1); }
    void remove(int32_t row) { change(ranks_[static_cast<size_t>(row)], -1); }

    double median() const {
        if (size_ == 0) return null<double>;
        const int64_t low = (size_ - 1) / 2;
        const double below = at(low), above = size_ % 2 == 1 ? below : at(low + 1);
        return interpolated(below, above, size_ % 2 == 1 ? 0 : 0.5, low, Interpolation::Linear);
    }

private:
    void change(int32_t rank, int32_t by) {
        if (rank < 0) return;
        size_ += by;
        for (size_t i = static_cast<size_t>(rank) + 1; i < counts_.size(); i += i & -i) counts_[i] += by;
    }
    // Returns the element with `before` ones in front of it.
    double at(int64_t before) const {
        size_t place = 0;
        for (size_t step = std::bit_floor(counts_.size() - 1); step > 0; step /= 2) {
            if (place + step >= counts_.size() || counts_[place + step] > before) continue;
            place += step;
            before -= counts_[place];
        }
        CHECK(place < sorted_.size()) << "the window has as many elements";
        return sorted_[place];
    }

    std::vector<double> sorted_;   // the different elements
    std::vector<int32_t> ranks_;   // of each row; -1 for NULL
    std::vector<int32_t> counts_;  // the tree, from 1 on
    int64_t size_ = 0;
};

class CountedWindow {
public:
    CountedWindow(std::span<const int32_t> numbers, int64_t kinds)
        : numbers_(numbers), counts_(static_cast<size_t>(kinds)) {}

    void add(int32_t row) { distinct_ += counts_[kindOf(row)]++ == 0 ? 1 : 0; }
    void remove(int32_t row) { distinct_ -= --counts_[kindOf(row)] == 0 ? 1 : 0; }
    int32_t distinct() const { return distinct_; }

private:
    size_t kindOf(int32_t row) const { return static_cast<size_t>(numbers_[static_cast<size_t>(row)]); }

    const std::span<const int32_t> numbers_;
    std::vector<int32_t> counts_;
    int32_t distinct_ = 0;
};

}  // namespace

Value slidingMedians(std::span<const double> elements, std::span<const int32_t> begins, std::span<const int32_t> ends) {
    const bool hasOrder = std::ranges::none_of(
        elements, [](double x) { return !isNull(x) && (std::isnan(x) || (x == 0 && std::signbit(x))); });
    if (!hasOrder) return Value();
    RankedWindow window(elements);
    Ref<Vector> medians = Vector::make(Type::Double, std::ssize(begins));
    auto* out = medians->mutableData<double>();
    const auto take = [&](size_t i, bool isEmpty) { out[i] = isEmpty ? null<double> : window.median(); };
    return slide(window, begins, ends, take) ? Value::of(medians) : Value();
}

Value slidingDistinctCounts(std::span<const int32_t> numbers, int64_t kinds, std::span<const int32_t> begins,
                            std::span<const int32_t> ends) {
    CountedWindow window(numbers, kinds);
    Ref<Vector> counts = Vector::make(Type::Int, std::ssize(begins));
    auto* out = counts->mutableData<int32_t>();
    const auto take = [&](size_t i, bool isEmpty) { out[i] = isEmpty ? 0 : window.distinct(); };
    return slide(window, begins, ends, take) ? Value::of(counts) : Value();
}

}  // namespace pelorus
