// Computes the maximum draw-down: the deepest fall below the highest value so far.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/type_table.h"

namespace pelorus {

// kRelative: the fall as a share of that highest value.
template <bool kRelative>
struct DrawDown {
    static constexpr bool kInOrder = true;
    double highest = -INFINITY, lowest = INFINITY, deepest = 0;
    int64_t count = 0;

    void add(double x) {
        highest = std::max(highest, x);
        lowest = std::min(lowest, x);
        deepest = std::max(deepest, fall(x));
        ++count;
    }
    void merge(const DrawDown& other) {
        if (other.count == 0) return;
        deepest = std::max({deepest, other.deepest, count == 0 ? 0 : fall(other.lowest)});
        highest = std::max(highest, other.highest);
        lowest = std::min(lowest, other.lowest);
        count += other.count;
    }
    double result() const { return count == 0 || !std::isfinite(deepest) ? null<double> : deepest; }

private:
    double fall(double x) const {
        double down = highest - x;
        return !kRelative ? down : highest != 0 ? down / highest : 0;
    }
};

}  // namespace pelorus
