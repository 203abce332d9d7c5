#include "common/thread/work_arena.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <set>
#include <thread>
#include <vector>

#include "common/thread/mutex.h"

using namespace pelorus;

TEST_CASE("each piece of a loop is done once, by no more threads than the arena has") {
    for (const int parallelism : {-3, 1, 2, 64}) {
        WorkArena arena(parallelism);
        std::vector<std::atomic<int>> done(1000);
        Mutex mutex;
        std::set<std::thread::id> threads;
        arena.run(1000, [&](int64_t i) {
            ++done[static_cast<size_t>(i)];
            const MutexLock lock(mutex);
            threads.insert(std::this_thread::get_id());
        });
        CHECK(std::all_of(done.begin(), done.end(), [](const auto& count) { return count == 1; }));
        CHECK(static_cast<int>(threads.size()) <= std::max(1, parallelism));
    }
    WorkArena arena(4);
    arena.run(0, [](int64_t) { FAIL("there is no piece"); });
}

TEST_CASE("an arena that is lowered while a loop runs finishes the loop") {
    WorkArena arena(4);
    std::atomic<int> done{0};
    arena.run(2000, [&](int64_t i) {
        if (i == 10) arena.lower();
        ++done;
    });
    CHECK(done == 2000);
    CHECK(arena.isLow());
    arena.run(100, [&](int64_t) { ++done; });
    CHECK(done == 2100);
}

TEST_CASE("a loop within a loop is done, too") {
    WorkArena arena(3);
    std::atomic<int> done{0};
    arena.run(20, [&](int64_t) { arena.run(20, [&](int64_t) { ++done; }); });
    CHECK(done == 400);
}

TEST_CASE("a thread works in the arena of its innermost scope, else in that of the process") {
    WorkArena outer(1), inner(1);
    CHECK(WorkArena::ofThread() == nullptr);
    WorkArena& ofProcess = WorkArena::current();
    {
        const WorkScope first(outer);
        {
            const WorkScope second(inner);
            CHECK(WorkArena::ofThread() == &inner);
            WorkArena* ofOther = &inner;
            std::thread([&] { ofOther = WorkArena::ofThread(); }).join();
            CHECK(ofOther == nullptr);
        }
        CHECK(&WorkArena::current() == &outer);
    }
    CHECK(&WorkArena::current() == &ofProcess);
    inner.noteBytes(100);
    inner.noteBytes(-30);
    CHECK(inner.heldBytes() == 70);
    CHECK(outer.heldBytes() == 0);
}
