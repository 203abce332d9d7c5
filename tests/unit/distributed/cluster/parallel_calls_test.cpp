#include "distributed/cluster/parallel_calls.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <latch>
#include <thread>
#include <vector>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("every call is made once, and all at the same time") {
    constexpr size_t kCalls = 5;
    std::vector<int> made(kCalls);
    // Nobody comes past it unless the others have begun, too.
    std::latch begun(kCalls);
    callInParallel(kCalls, [&](size_t i, const std::atomic<bool>& abandon) {
        begun.arrive_and_wait();
        ++made[i];
        CHECK(!abandon);
    });
    CHECK(made == std::vector<int>(kCalls, 1));
    callInParallel(0, [](size_t, const std::atomic<bool>&) { FAIL("nothing was to be called"); });
}

TEST_CASE("a call that fails makes the others give up, and its error comes out") {
    std::atomic<int> gaveUp{0};
    const auto calls = [&](size_t i, const std::atomic<bool>& abandon) {
        if (i == 1) throw UserError("The second call has failed.");
        while (!abandon) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++gaveUp;
        // Not the first error.
        throw SystemError("This call was given up.");
    };
    CHECK_THROWS_WITH(callInParallel(3, calls), "The second call has failed.");
    // The caller's own call, the first, is not begun when the second one was quicker.
    CHECK(gaveUp >= 1);
    CHECK(gaveUp <= 2);
}

TEST_CASE("a single call runs in the thread of the caller") {
    std::thread::id here;
    callInParallel(1, [&](size_t, const std::atomic<bool>&) { here = std::this_thread::get_id(); });
    CHECK(here == std::this_thread::get_id());
    CHECK_THROWS_AS(callInParallel(1, [](size_t, const std::atomic<bool>&) { throw SystemError("no"); }), SystemError);
}
