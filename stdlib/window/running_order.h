// The elements of all rows so far in ascending order: any of them by its place, and how many are below a value.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace pelorus {

// Elements in sorted runs of bounded length, one after the other; over many runs a Fenwick tree has their lengths. All
// calls take O(kMaxRun + log n) for n elements, and add, where it splits a run, O(n / kMaxRun). Copies are independent.
template <class T>
class RunningOrder {
public:
    void add(T x) {
        ++count_;
        if (runs_.empty()) runs_.emplace_back();
        const auto run = runOf(x);
        run->insert(std::upper_bound(run->begin(), run->end(), x), x);
        if (run->size() <= kMaxRun) {
            for (auto k = static_cast<size_t>(run - runs_.begin()) + 1; k < lengths_.size(); k += k & (~k + 1))
                ++lengths_[k];
            return;
        }
        const auto half = run->begin() + kMaxRun / 2;
        std::vector<T> upper(half, run->end());
        run->erase(half, run->end());
        runs_.insert(run + 1, std::move(upper));
        if (runs_.size() >= kManyRuns) measureRuns();
    }
    bool contains(T x) const { return notAbove(x) > below(x); }
    int64_t count() const { return count_; }
    int64_t below(T x) const {
        return placeOf([x](const std::vector<T>& run) { return run.back() < x; },
                       [x](const std::vector<T>& run) { return std::lower_bound(run.begin(), run.end(), x); });
    }
    int64_t notAbove(T x) const {
        return placeOf([x](const std::vector<T>& run) { return !(x < run.back()); },
                       [x](const std::vector<T>& run) { return std::upper_bound(run.begin(), run.end(), x); });
    }
    int64_t equal(T x) const { return notAbove(x) - below(x); }
    // Returns element k in order. REQUIRES: 0 <= k < count().
    T element(int64_t k) const {
        size_t run = 0;
        if (lengths_.empty()) {
            for (; k >= std::ssize(runs_[run]); ++run) k -= std::ssize(runs_[run]);
            return runs_[run][static_cast<size_t>(k)];
        }
        for (size_t step = std::bit_floor(lengths_.size() - 1); step > 0; step /= 2) {
            if (run + step >= lengths_.size() || lengths_[run + step] > k) continue;
            run += step;
            k -= lengths_[run];
        }
        return runs_[run][static_cast<size_t>(k)];
    }
    int64_t memoryBytes() const {
        int64_t bytes =
            static_cast<int64_t>(runs_.capacity() * sizeof(std::vector<T>) + lengths_.capacity() * sizeof(int64_t));
        for (const std::vector<T>& run : runs_) bytes += static_cast<int64_t>(run.capacity() * sizeof(T));
        return bytes;
    }

private:
    static constexpr ptrdiff_t kMaxRun = 512;
    static constexpr size_t kManyRuns = 32;  // from which their lengths are in a tree

    // Returns the first run whose last element is above x, else the last one.
    auto runOf(T x) {
        const auto found = std::partition_point(
            runs_.begin(), runs_.end(), [x](const std::vector<T>& run) { return !run.empty() && !(x < run.back()); });
        return found == runs_.end() ? found - 1 : found;
    }
    // Returns how many elements stand before a place: whole runs as long as isBefore holds, and a part of the next.
    template <class IsBefore, class Within>
    int64_t placeOf(IsBefore isBefore, Within within) const {
        const auto last = std::partition_point(runs_.begin(), runs_.end(), isBefore);
        int64_t place = 0;
        if (lengths_.empty()) {
            for (auto run = runs_.begin(); run != last; ++run) place += std::ssize(*run);
        } else {
            for (auto k = static_cast<size_t>(last - runs_.begin()); k > 0; k &= k - 1) place += lengths_[k];
        }
        return last == runs_.end() ? place : place + (within(*last) - last->begin());
    }

    void measureRuns() {
        lengths_.assign(runs_.size() + 1, 0);
        for (size_t k = 1; k < lengths_.size(); ++k) {
            lengths_[k] += std::ssize(runs_[k - 1]);
            if (const size_t above = k + (k & (~k + 1)); above < lengths_.size()) lengths_[above] += lengths_[k];
        }
    }

    std::vector<std::vector<T>> runs_;  // none is empty but the first one before any element
    std::vector<int64_t> lengths_;      // a Fenwick tree of those of the runs; empty for few runs
    int64_t count_ = 0;
};

}  // namespace pelorus
