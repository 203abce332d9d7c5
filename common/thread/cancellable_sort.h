// Sorts elements until the request is cancelled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "common/thread/cancellation.h"

namespace pelorus {

// Sorts the elements; the sort is not stable. Throws UserError when the request is cancelled, with the elements in any
// order. REQUIRES: copying and comparing elements does not throw.
template <class Elements, class Less = std::less<>>
void sortCancellably(Elements& elements, Less less = {}) {
    constexpr uint32_t kComparisonsBetweenChecks = 1 << 16;
    std::sort(elements.begin(), elements.end(), [less, compared = uint32_t{0}](const auto& a, const auto& b) mutable {
        if (++compared % kComparisonsBetweenChecks == 0) checkCancelled();
        return less(a, b);
    });
}

}  // namespace pelorus
