// Once runs a function in one caller, and again in the next one when it failed.
#include "common/thread/once.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace pelorus;

TEST_CASE("something is done once by several threads, whose first tries fail") {
    Once once;
    std::atomic<int> tries{0}, failures{0}, done{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&] {
            try {
                once.call([&] {
                    if (++tries <= 3) throw std::runtime_error("not yet");
                    ++done;
                });
            } catch (const std::runtime_error&) {
                ++failures;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(tries == 4);
    CHECK(failures == 3);
    once.call([&] { ++done; });
    CHECK(done == 1);
}
