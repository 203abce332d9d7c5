// The first rows of a window in the order of a sorting column.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

// Order of rows with equal sorting values: which come first, or that all of them count.
enum class Ties : uint8_t { Oldest, Latest, All };

// Returns integers and times as LONG, in the order of the elements; NULL stays NULL.
Ref<Vector> storedIntegers(const Vector& elements);

// A state for `slide`: it contains the window's rows sorted by S. O(log window) per row that enters or leaves.
class TopRows {
public:
    TopRows(const Vector& sorting, int64_t top, bool ascending, Ties ties);

    void add(int64_t row) { rows_.insert(keyOf(row)); }
    void remove(int64_t row) { rows_.erase(keyOf(row)); }

    // Calls f(row) for the chosen rows.
    template <class F>
    void forEach(F f) const {
        int64_t taken = 0;
        int32_t last = 0;
        for (const auto& [rank, order] : rows_) {
            if (taken >= top_ && !(ties_ == Ties::All && rank == last)) return;
            last = rank;
            ++taken;
            f(ties_ == Ties::Latest ? -order : order);
        }
    }

private:
    std::pair<int32_t, int64_t> keyOf(int64_t row) const {
        return {ranks_[static_cast<size_t>(row)], ties_ == Ties::Latest ? -row : row};
    }

    int64_t top_;
    Ties ties_;
    std::vector<int32_t> ranks_;  // equal values of S have one rank
    std::set<std::pair<int32_t, int64_t>> rows_;
};

}  // namespace pelorus
