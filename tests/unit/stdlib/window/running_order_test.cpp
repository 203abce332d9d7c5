#include "stdlib/window/running_order.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

namespace pelorus {

TEST_CASE("an order of elements that come one by one knows places and counts as a sorted vector does") {
    std::mt19937 random(5);
    RunningOrder<int64_t> order;
    std::vector<int64_t> sorted;
    REQUIRE(order.count() == 0);
    REQUIRE(order.below(7) == 0);
    REQUIRE(!order.contains(7));
    for (int i = 0; i < 40000; ++i) {
        // Few values, many values, and rising ones: runs are cut at all places.
        const int64_t x = i % 3 == 0   ? static_cast<int64_t>(random() % 50)
                          : i % 3 == 1 ? static_cast<int64_t>(random())
                                       : i;
        order.add(x);
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), x), x);
        if (i % 397 != 0) continue;
        for (const int64_t probe : {x, x + 1, int64_t{0}, int64_t{25}, sorted.back(), sorted.front() - 1}) {
            const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), probe);
            REQUIRE(order.below(probe) == first - sorted.begin());
            REQUIRE(order.notAbove(probe) == last - sorted.begin());
            REQUIRE(order.contains(probe) == (first != last));
        }
        for (const size_t k : {size_t{0}, sorted.size() / 2, sorted.size() - 1})
            REQUIRE(order.element(static_cast<int64_t>(k)) == sorted[k]);
    }
    REQUIRE(order.count() == 40000);
    const RunningOrder<int64_t> copy = order;
    order.add(-1);
    REQUIRE(copy.element(0) == sorted[0]);
    REQUIRE(copy.memoryBytes() >= 40000 * 8);
}

}  // namespace pelorus
