#include "storage/commit/chunk_locks.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

using namespace pelorus;

namespace {

constexpr auto kNoWait = std::chrono::milliseconds(0);

struct Locks {
    std::atomic<bool> isSound{true};
    ChunkLocks locks{[this] { return isSound.load(); }};
};

}  // namespace

TEST_CASE("appends share a chunk, and a change has it alone") {
    Locks all;
    const ChunkLocks::Hold first(all.locks, {1, 2}, false), second(all.locks, {2, 3}, false, kNoWait);
    CHECK(all.locks.isLocked(3));
    CHECK_FALSE(all.locks.isChanging(2));
    CHECK_THROWS_AS(ChunkLocks::Hold(all.locks, {2}, true, kNoWait), ChunkIsBusy);
    const ChunkLocks::Hold change(all.locks, {4}, true, kNoWait);
    CHECK(all.locks.isChanging(4));
    CHECK_THROWS_AS(ChunkLocks::Hold(all.locks, {4}, false, kNoWait), ChunkIsBusy);
}

TEST_CASE("a hold that was refused holds none of its chunks") {
    Locks all;
    const ChunkLocks::Hold change(all.locks, {2}, true);
    CHECK_THROWS_AS(ChunkLocks::Hold(all.locks, {1, 2, 3}, true, kNoWait), ChunkIsBusy);
    CHECK_FALSE(all.locks.isLocked(1));
    CHECK_FALSE(all.locks.isLocked(3));
    const ChunkLocks::Hold free(all.locks, {1, 3}, true, kNoWait);
    CHECK(all.locks.isChanging(3));
}

TEST_CASE("the end of a hold frees its chunks, but not those that it keeps") {
    Locks all;
    {
        ChunkLocks::Hold hold(all.locks, {1, 2, 3}, true);
        hold.keep({2});
    }
    CHECK_FALSE(all.locks.isLocked(1));
    CHECK(all.locks.isChanging(2));
    CHECK_FALSE(all.locks.isLocked(3));
    all.locks.unlock({2}, true);
    CHECK_FALSE(all.locks.isLocked(2));
}

TEST_CASE("an exclusive hold that is shared lets appends in, and no change") {
    Locks all;
    ChunkLocks::Hold hold(all.locks, {1}, true);
    hold.share();
    const ChunkLocks::Hold append(all.locks, {1}, false, kNoWait);
    CHECK_FALSE(all.locks.isChanging(1));
    CHECK_THROWS_AS(ChunkLocks::Hold(all.locks, {1}, true, kNoWait), ChunkIsBusy);
}

TEST_CASE("an append that comes after a waiting change waits for it") {
    Locks all;
    auto first = std::make_unique<ChunkLocks::Hold>(all.locks, std::vector<uint64_t>{1}, false);
    std::atomic<int> order{0};
    int changed = 0, appended = 0;
    std::thread change([&] {
        const ChunkLocks::Hold hold(all.locks, {1}, true);
        changed = ++order;
    });
    // The change waits once an append that does not is refused for it.
    for (bool isWaiting = false; !isWaiting;) {
        try {
            const ChunkLocks::Hold probe(all.locks, {1}, false, kNoWait);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } catch (const ChunkIsBusy&) {
            isWaiting = true;
        }
    }
    std::thread append([&] {
        const ChunkLocks::Hold hold(all.locks, {1}, false);
        appended = ++order;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    first.reset();
    change.join();
    append.join();
    CHECK(changed == 1);
    CHECK(appended == 2);
}

TEST_CASE("nobody waits for a chunk once the log refuses writes") {
    Locks all;
    all.locks.lockRecovered({7}, true);
    all.isSound = false;
    CHECK_THROWS_AS(ChunkLocks::Hold(all.locks, {7}, false, std::chrono::hours(1)), ChunkIsBusy);
    all.locks.unlock({7}, true);
    CHECK_FALSE(all.locks.isLocked(7));
}
