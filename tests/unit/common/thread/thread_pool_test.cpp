#include "common/thread/thread_pool.h"

#include "common/thread/work_arena.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>

using namespace pelorus;

TEST_CASE("parallelFor calls every number once, also when nested") {
    std::atomic<int64_t> sum{0};
    parallelFor(100, [&](int64_t i) { parallelFor(10, [&](int64_t j) { sum += i * 10 + j; }); });
    REQUIRE(sum == 999 * 1000 / 2);
}

TEST_CASE("parallelFor passes on what a call throws") {
    REQUIRE_THROWS_WITH(parallelFor(1000,
                                    [](int64_t i) {
                                        if (i == 3) throw std::runtime_error("three");
                                    }),
                        "three");
}

TEST_CASE("a submitted task runs and hands over its exception") {
    std::atomic<bool> ran{false};
    submit([&] { ran = true; }).get();
    REQUIRE(ran);
    REQUIRE_THROWS_WITH(submit([] { throw std::runtime_error("late"); }).get(), "late");
}

TEST_CASE("loops of an arena run every number once, nested, and when it is lowered meanwhile") {
    WorkArena arena(4);
    const WorkScope scope(arena);
    std::atomic<int64_t> sum{0};
    parallelFor(100, [&](int64_t i) {
        if (i == 50) arena.lower();
        parallelFor(10, [&](int64_t j) { sum += i * 10 + j; });
    });
    REQUIRE(sum == 999 * 1000 / 2);
    parallelFor(1000, [&](int64_t i) { sum += i; });
    REQUIRE(sum == 999 * 1000);
}
