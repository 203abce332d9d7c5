#include "runtime/kernel/aggregate/wide_total.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "runtime/kernel/aggregate/lane_sums.h"

using namespace pelorus;

TEST_CASE("a total is known exactly, and NULL where a LONG cannot hold it") {
    WideTotal total;
    REQUIRE(total.orNull() == 0);
    total.add(INT64_MAX);
    REQUIRE(total.orNull() == INT64_MAX);
    total.add(1);
    REQUIRE(total.orNull() == null<int64_t>);
    REQUIRE(total.toDouble() == 9223372036854775808.0);
    total.add(-5);
    REQUIRE(total.orNull() == INT64_MAX - 4);
    total.subtract(-4);
    REQUIRE(total.orNull() == INT64_MAX);
    WideTotal least;
    least.subtract(INT64_MAX);
    REQUIRE(least.orNull() == -INT64_MAX);
    least.add(-1);
    REQUIRE(least.orNull() == null<int64_t>);
    least.add(-1);
    REQUIRE(least.orNull() == null<int64_t>);
    REQUIRE(least.toDouble() == -9223372036854775808.0);
    least.add(total);
    REQUIRE(least.orNull() == -2);
    least.subtract(total);
    least.subtract(total);
    REQUIRE(least.toDouble() < -1.8e19);
}

TEST_CASE("sums in lanes are those of one number after the other") {
    std::mt19937_64 random(7);
    for (const size_t count : {0u, 1u, 100u, 5000u}) {
        std::vector<int64_t> elements(count);
        WideTotal expected;
        int64_t valid = 0;
        for (int64_t& element : elements) {
            element = random() % 10 == 0 ? null<int64_t> : static_cast<int64_t>(random());
            if (isNull(element)) continue;
            expected.add(element);
            ++valid;
        }
        const auto [total, some] = integerTotal(elements.data(), static_cast<int64_t>(count));
        REQUIRE(some == valid);
        REQUIRE(total.orNull() == expected.orNull());
        REQUIRE(total.toDouble() == expected.toDouble());
    }
    const std::vector<int64_t> large(1000, INT64_MAX);
    REQUIRE(integerTotal(large.data(), 1000).first.toDouble() == Approx(9.223372036854775e21));
}
