#include "common/thread/lowered_workers.h"

#include <catch2/catch.hpp>
#include <latch>
#include <set>
#include <thread>
#include <vector>

using namespace pelorus;

TEST_CASE("a loop is done whole by its caller and the helpers that it may have") {
    LoweredWorkers workers(3);
    for (const int helpers : {0, 1, 3, 100}) {
        std::vector<std::atomic<int>> done(500);
        const std::function<void(int64_t)> piece = [&](int64_t i) { ++done[static_cast<size_t>(i)]; };
        SharedLoop loop{.count = 500, .piece = piece};
        workers.run(loop, helpers);
        CHECK(loop.isTaken());
        CHECK(std::all_of(done.begin(), done.end(), [](const auto& count) { return count == 1; }));
    }
}

TEST_CASE("helpers work beside the caller, in threads of their own") {
    LoweredWorkers workers(1);
    // Each of the two pieces waits for the other one to begin.
    std::latch both(2);
    std::thread::id threads[2];
    const std::function<void(int64_t)> piece = [&](int64_t i) {
        threads[i] = std::this_thread::get_id();
        both.arrive_and_wait();
    };
    SharedLoop loop{.count = 2, .piece = piece};
    workers.run(loop, 1);
    CHECK(threads[0] != threads[1]);
    CHECK((threads[0] == std::this_thread::get_id() || threads[1] == std::this_thread::get_id()));
}

TEST_CASE("loops of several threads at once are done each, also without any helper") {
    for (const int count : {0, 2}) {
        LoweredWorkers workers(count);
        std::atomic<int> done{0};
        std::vector<std::thread> callers;
        for (int c = 0; c < 4; ++c) {
            callers.emplace_back([&] {
                const std::function<void(int64_t)> piece = [&](int64_t) { ++done; };
                for (int i = 0; i < 20; ++i) {
                    SharedLoop loop{.count = 50, .piece = piece};
                    workers.run(loop, 2);
                }
            });
        }
        for (std::thread& caller : callers) caller.join();
        CHECK(done == 4 * 20 * 50);
    }
}

TEST_CASE("a thread that leaves a loop leaves what is not begun") {
    int done = 0;
    const std::function<void(int64_t)> piece = [&](int64_t) { ++done; };
    SharedLoop loop{.count = 10, .piece = piece};
    loop.work([&] { return done == 3; });
    CHECK(done == 3);
    CHECK(!loop.isTaken());
    loop.work([] { return false; });
    CHECK(done == 10);
}
