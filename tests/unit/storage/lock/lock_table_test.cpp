#include "storage/lock/lock_table.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "common/error.h"
#include "common/thread/cancellation.h"

using namespace pelorus;

namespace {

LockKey row(uint64_t id) {
    return {LockKey::Kind::Row, 1, id};
}

void awaitWaiting(const LockTable& table, size_t count) {
    while (table.waiting() != count) std::this_thread::yield();
}

// A session of its own thread that asks for locks, and notes how the last request ended.
class Waiting {
public:
    Waiting(LockTable& table, const LockKey& key, LockMode mode, const LockWait& wait = {})
        : owner_(table, 0), thread_([&table, key, mode, wait, this] {
              const CancellationScope scope(&isCancelled);
              try {
                  result = table.acquire(owner_, key, mode, wait);
              } catch (const UserError&) {
                  wasCancelled = true;
              }
              isDone = true;
          }) {}
    ~Waiting() { join(); }
    void join() {
        if (thread_.joinable()) thread_.join();
    }
    LockOwner& owner() { return owner_; }

    CancellationFlag isCancelled{false};
    std::atomic<bool> isDone{false};
    bool wasCancelled = false;
    LockResult result = LockResult::Look;

private:
    LockOwner owner_;
    std::thread thread_;
};

}  // namespace

TEST_CASE("locks of a row are granted in the order in which they were asked for") {
    LockTable table;
    LockOwner first(table, 0);
    REQUIRE(table.acquire(first, row(7), row_lock::kUpdate) == LockResult::Granted);
    CHECK(table.acquire(first, row(7), row_lock::kShare) == LockResult::Granted);  // has more already
    CHECK(first.lockCount() == 1);
    std::deque<std::unique_ptr<Waiting>> waiting;
    for (size_t i = 0; i < 5; ++i) {
        waiting.push_back(std::make_unique<Waiting>(table, row(7), row_lock::kUpdate));
        awaitWaiting(table, i + 1);
    }
    table.releaseFrom(first, 0);
    for (auto& next : waiting) {
        next->join();
        CHECK(next->result == LockResult::Granted);
        const size_t left = static_cast<size_t>(
            std::count_if(waiting.begin(), waiting.end(), [](const auto& each) { return !each->isDone; }));
        CHECK(table.waiting() == left);
        table.releaseFrom(next->owner(), 0);
    }
}

TEST_CASE("sharers hold a row together, and do not pass one who waits to change it") {
    LockTable table;
    LockOwner first(table, 0), second(table, 0), third(table, 0);
    CHECK(table.acquire(first, row(1), row_lock::kShare) == LockResult::Granted);
    CHECK(table.acquire(second, row(1), row_lock::kShare) == LockResult::Granted);
    {
        Waiting writer(table, row(1), row_lock::kUpdate);
        awaitWaiting(table, 1);
        CHECK(table.acquire(third, row(1), row_lock::kShare, {.waits = false}) == LockResult::Unavailable);
        table.releaseFrom(first, 0);
        CHECK_FALSE(writer.isDone);
        table.releaseFrom(second, 0);
        writer.join();
        CHECK(writer.result == LockResult::Granted);
    }
    CHECK(table.acquire(third, row(1), row_lock::kShare) == LockResult::Granted);
}

TEST_CASE("who holds a row passes the queue with a stronger mode") {
    LockTable table;
    LockOwner first(table, 0);
    CHECK(table.acquire(first, row(1), row_lock::kKeyShare) == LockResult::Granted);
    Waiting writer(table, row(1), row_lock::kUpdate);
    awaitWaiting(table, 1);
    CHECK(table.acquire(first, row(1), row_lock::kUpdate) == LockResult::Granted);
    table.releaseFrom(first, 1);
    CHECK(first.lockCount() == 1);
    CHECK_FALSE(writer.isDone);
    table.releaseFrom(first, 0);
}

TEST_CASE("locks of a session's owners exclude each other from nothing") {
    LockTable table;
    LockOwner session(table, 5), transaction(table, 5), other(table, 6);
    const LockKey key{LockKey::Kind::Advisory, 1, 2};
    CHECK(table.acquire(session, key, LockMode::Exclusive) == LockResult::Granted);
    CHECK(table.acquire(transaction, key, LockMode::Exclusive) == LockResult::Granted);
    CHECK(table.isHeldBy(transaction, key));
    CHECK_FALSE(table.isHeldBy(other, key));
    table.releaseFrom(transaction, 0);
    CHECK(table.acquire(other, key, LockMode::Exclusive, {.waits = false}) == LockResult::Unavailable);
    CHECK(table.release(session, key, LockMode::Exclusive));
    CHECK_FALSE(table.release(session, key, LockMode::Exclusive));
    CHECK(table.acquire(other, key, LockMode::Exclusive) == LockResult::Granted);
}

TEST_CASE("of two that wait for each other the younger ends, soon") {
    LockTable table;
    LockOwner old(table, 0);
    REQUIRE(table.acquire(old, row(1), row_lock::kUpdate) == LockResult::Granted);
    LockResult young = LockResult::Look;
    std::atomic<bool> hasFirst{false};
    std::thread thread([&] {
        LockOwner owner(table, 0);
        table.acquire(owner, row(2), row_lock::kUpdate);
        hasFirst = true;
        young = table.acquire(owner, row(1), row_lock::kUpdate);
    });
    while (!hasFirst) std::this_thread::yield();
    const auto begin = std::chrono::steady_clock::now();
    CHECK(table.acquire(old, row(2), row_lock::kUpdate) == LockResult::Granted);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
    thread.join();
    CHECK(young == LockResult::Deadlock);
}

TEST_CASE("two that share a row and both want to change it are a deadlock, too") {
    LockTable table;
    LockOwner old(table, 0);
    REQUIRE(table.acquire(old, row(1), row_lock::kShare) == LockResult::Granted);
    LockResult young = LockResult::Look;
    std::thread thread([&] {
        LockOwner owner(table, 0);
        table.acquire(owner, row(1), row_lock::kShare);
        young = table.acquire(owner, row(1), row_lock::kUpdate);
    });
    awaitWaiting(table, 1);
    CHECK(table.acquire(old, row(1), row_lock::kUpdate) == LockResult::Granted);
    thread.join();
    CHECK(young == LockResult::Deadlock);
}

TEST_CASE("nobody ends where a circle is only of the order in which locks were asked for") {
    // `holder` shares row 1 and waits for row 2, whose owner waits for row 1 behind one who wants to change that.
    LockTable table;
    LockOwner other(table, 0);
    REQUIRE(table.acquire(other, row(2), row_lock::kUpdate) == LockResult::Granted);
    LockOwner holder(table, 0);
    REQUIRE(table.acquire(holder, row(1), row_lock::kShare) == LockResult::Granted);
    Waiting changer(table, row(1), row_lock::kUpdate);
    awaitWaiting(table, 1);
    LockResult held = LockResult::Look;
    std::thread thread([&] { held = table.acquire(holder, row(2), row_lock::kUpdate); });
    awaitWaiting(table, 2);
    CHECK(table.acquire(other, row(1), row_lock::kShare) == LockResult::Granted);
    table.releaseFrom(other, 0);
    thread.join();
    CHECK(held == LockResult::Granted);
    CHECK_FALSE(changer.isDone);
    table.releaseFrom(holder, 0);
    changer.join();
    CHECK(changer.result == LockResult::Granted);
}

TEST_CASE("of many who wait for one row one is cancelled, one has waited too long, and the others go on") {
    constexpr size_t kWaiting = 120;
    LockTable table;
    LockOwner first(table, 0);
    REQUIRE(table.acquire(first, row(1), row_lock::kUpdate) == LockResult::Granted);
    std::deque<std::unique_ptr<Waiting>> waiting;
    for (size_t i = 0; i < kWaiting; ++i) {
        waiting.push_back(std::make_unique<Waiting>(table, row(1), row_lock::kUpdate));
        awaitWaiting(table, i + 1);
    }
    Waiting impatient(table, row(1), row_lock::kUpdate, {.waits = true, .timeout = std::chrono::milliseconds(30)});
    impatient.join();
    CHECK(impatient.result == LockResult::TimedOut);
    waiting[40]->isCancelled = true;
    waiting[40]->join();
    CHECK(waiting[40]->wasCancelled);
    table.releaseFrom(first, 0);
    for (size_t i = 0; i < kWaiting; ++i) {
        waiting[i]->join();
        if (i != 40) CHECK(waiting[i]->result == LockResult::Granted);
        table.releaseFrom(waiting[i]->owner(), 0);
    }
    CHECK(table.waiting() == 0);
}

TEST_CASE("who waits for the end of a transaction looks again when that takes something back") {
    LockTable table;
    LockOwner writer(table, 0);
    const LockKey key{LockKey::Kind::Transaction, 99, 0};
    REQUIRE(table.acquire(writer, key, LockMode::AccessExclusive) == LockResult::Granted);
    Waiting other(table, key, LockMode::AccessShare);
    awaitWaiting(table, 1);
    table.wakeAll(key);
    other.join();
    CHECK(other.result == LockResult::Look);
}

TEST_CASE("threads that lock rows in any order all come to their end") {
    constexpr int kThreads = 6, kRounds = 60, kRows = 4;
    LockTable table;
    std::array<std::atomic<int>, kRows> owners{};
    std::atomic<int> done{0}, ended{0};
    std::atomic<bool> isWrong{false};
    const auto run = [&](unsigned seed) {
        unsigned state = seed;
        for (int round = 0; round < kRounds; ++round) {
            LockOwner owner(table, 0);
            std::vector<size_t> mine;
            bool isEnded = false;
            for (int i = 0; i < 3 && !isEnded; ++i) {
                state = state * 1103515245 + 12345;
                const size_t wanted = (state >> 16) % kRows;
                const LockResult result = table.acquire(owner, row(wanted), row_lock::kUpdate);
                isEnded = result != LockResult::Granted;
                if (isEnded || std::find(mine.begin(), mine.end(), wanted) != mine.end()) continue;
                if (owners[wanted].fetch_add(1) != 0) isWrong = true;
                mine.push_back(wanted);
            }
            for (const size_t each : mine) owners[each].fetch_sub(1);
            (isEnded ? ended : done).fetch_add(1);
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back(run, i + 1);
    for (std::thread& thread : threads) thread.join();
    CHECK_FALSE(isWrong);
    CHECK(done + ended == kThreads * kRounds);
    CHECK(done > 0);
    CHECK(table.waiting() == 0);
}

TEST_CASE("threads that share and change rows in any order all come to their end") {
    constexpr int kThreads = 6, kRounds = 25, kRows = 3, kChanger = 1000;
    LockTable table;
    std::array<std::atomic<int>, kRows> holders{};  // sharers, and kChanger for who may change the row
    std::atomic<int> done{0}, ended{0};
    std::atomic<bool> isWrong{false};
    std::atomic<int> begun{0};
    const auto run = [&](unsigned seed) {
        unsigned state = seed;
        ++begun;
        while (begun < kThreads) std::this_thread::yield();
        for (int round = 0; round < kRounds; ++round) {
            LockOwner owner(table, 0);
            std::array<int, kRows> mine{};
            bool isEnded = false;
            for (int i = 0; i < 4 && !isEnded; ++i) {
                state = state * 1103515245 + 12345;
                const size_t wanted = (state >> 16) % kRows;
                const bool changes = (state >> 24) % 3 == 0;
                isEnded = table.acquire(owner, row(wanted), changes ? row_lock::kUpdate : row_lock::kShare) !=
                          LockResult::Granted;
                if (isEnded) continue;
                const int more = changes ? kChanger : 1;
                mine[wanted] += more;
                const int others = holders[wanted].fetch_add(more) + more - mine[wanted];
                if (changes ? others != 0 : others >= kChanger) isWrong = true;
                std::this_thread::yield();
            }
            for (size_t each = 0; each < kRows; ++each) holders[each].fetch_sub(mine[each]);
            (isEnded ? ended : done).fetch_add(1);
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back(run, i + 1);
    for (std::thread& thread : threads) thread.join();
    CHECK_FALSE(isWrong);
    CHECK(done + ended == kThreads * kRounds);
    CHECK(done > 0);
    CHECK(table.waiting() == 0);
}
