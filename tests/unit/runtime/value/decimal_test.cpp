#include "runtime/value/decimal.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("zeros behind the last digit are dropped with their places") {
    const auto dropped = [](__int128 raw, int scale) {
        decimal::dropZeros(raw, scale);
        return std::pair(static_cast<int64_t>(raw), scale);
    };
    CHECK(dropped(1500, 3) == std::pair(int64_t{15}, 1));
    CHECK(dropped(-100, 2) == std::pair(int64_t{-1}, 0));
    CHECK(dropped(100, 1) == std::pair(int64_t{10}, 0));
    CHECK(dropped(0, 10) == std::pair(int64_t{0}, 0));
    CHECK(dropped(123, 2) == std::pair(int64_t{123}, 2));
}
