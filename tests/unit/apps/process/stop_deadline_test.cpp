#include "apps/process/stop_deadline.h"

#include <atomic>
#include <catch2/catch.hpp>

using namespace pelorus;
using std::chrono::milliseconds;

TEST_CASE("a stop that comes to its end is not cut short") {
    std::atomic<int> ended{0};
    {
        const StopDeadline deadline(milliseconds(60'000), [&] { ++ended; });
    }
    CHECK(ended == 0);
}

TEST_CASE("a stop that takes too long is ended, once") {
    std::atomic<int> ended{0};
    const StopDeadline deadline(milliseconds(1), [&] { ++ended; });
    while (ended == 0) std::this_thread::sleep_for(milliseconds(1));
    CHECK(ended == 1);
}
