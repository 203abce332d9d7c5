// The elements of all rows so far in ascending order: any of them by its place, and how many are below a value.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace pelorus {

// Elements in sorted runs of bounded length, one after the other; over many runs a Fenwick tree has their lengths. All
// calls take O(kMaxRun + log n) for n elements, and add, where it splits a run, O(n / kMaxRun). Copies are independent.
template <class T>
class RunningOrder {
public:
    void add(T x) {
        ++count_;
        if (runs_.empty()) {
            runs_.emplace_back();
            lasts_.push_back(x);
        }
        const auto above = static_cast<size_t>(std::upper_bound(lasts_.begin(), lasts_.end(), x) - lasts_.begin());
        const size_t place = std::min(above, runs_.size() - 1);
        std::vector<T>& run = runs_[place];
        run.insert(std::upper_bound(run.begin(), run.end(), x), x);
        lasts_[place] = run.back();
        if (std::ssize(run) > kMaxRun) return split(place);
        for (size_t k = place + 1; k < lengths_.size(); k += k & (~k + 1)) ++lengths_[k];
    }
    int64_t count() const { return count_; }
    int64_t below(T x) const {
        const auto run = std::lower_bound(lasts_.begin(), lasts_.end(), x) - lasts_.begin();
        return placeOf(run,
                       [x](const std::vector<T>& r) { return std::lower_bound(r.begin(), r.end(), x) - r.begin(); });
    }
    int64_t notAbove(T x) const {
        const auto run = std::upper_bound(lasts_.begin(), lasts_.end(), x) - lasts_.begin();
        return placeOf(run,
                       [x](const std::vector<T>& r) { return std::upper_bound(r.begin(), r.end(), x) - r.begin(); });
    }
    // Returns how many elements are below x, and how many are not above it.
    std::pair<int64_t, int64_t> placesOf(T x) const { return {below(x), notAbove(x)}; }
    bool contains(T x) const { return notAbove(x) > below(x); }
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
        int64_t bytes = static_cast<int64_t>(runs_.capacity() * sizeof(std::vector<T>) + lasts_.capacity() * sizeof(T) +
                                             lengths_.capacity() * sizeof(int64_t));
        for (const std::vector<T>& run : runs_) bytes += static_cast<int64_t>(run.capacity() * sizeof(T));
        return bytes;
    }

private:
    static constexpr ptrdiff_t kMaxRun = 512;
    static constexpr size_t kManyRuns = 32;  // from which their lengths are in a tree

    void split(size_t place) {
        std::vector<T>& run = runs_[place];
        const auto half = run.begin() + kMaxRun / 2;
        std::vector<T> upper(half, run.end());
        run.erase(half, run.end());
        lasts_[place] = run.back();
        lasts_.insert(lasts_.begin() + static_cast<ptrdiff_t>(place) + 1, upper.back());
        runs_.insert(runs_.begin() + static_cast<ptrdiff_t>(place) + 1, std::move(upper));
        if (runs_.size() >= kManyRuns) measureRuns();
    }
    // Returns how many elements stand before a place: those of whole runs, and a part of the next.
    template <class Within>
    int64_t placeOf(ptrdiff_t run, Within within) const {
        int64_t place = 0;
        if (lengths_.empty()) {
            for (ptrdiff_t i = 0; i < run; ++i) place += std::ssize(runs_[static_cast<size_t>(i)]);
        } else {
            for (auto k = static_cast<size_t>(run); k > 0; k &= k - 1) place += lengths_[k];
        }
        return run == std::ssize(runs_) ? place : place + within(runs_[static_cast<size_t>(run)]);
    }
    void measureRuns() {
        lengths_.assign(runs_.size() + 1, 0);
        for (size_t k = 1; k < lengths_.size(); ++k) {
            lengths_[k] += std::ssize(runs_[k - 1]);
            if (const size_t above = k + (k & (~k + 1)); above < lengths_.size()) lengths_[above] += lengths_[k];
        }
    }

    std::vector<std::vector<T>> runs_;  // none is empty
    std::vector<T> lasts_;              // the last element of each
    std::vector<int64_t> lengths_;      // a Fenwick tree of those of the runs; empty for few runs
    int64_t count_ = 0;
};

}  // namespace pelorus
