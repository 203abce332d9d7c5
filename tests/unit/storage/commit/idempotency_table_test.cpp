#include "storage/commit/idempotency_table.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

using namespace pelorus;

TEST_CASE("an append that is sent again gets its answer, and one without an id is done each time") {
    IdempotencyTable table;
    {
        const IdempotencyTable::Turn turn(table, "a");
        CHECK(turn.answer() == 0);
        table.note("a", 17);
    }
    CHECK(IdempotencyTable::Turn(table, "a").answer() == 17);
    CHECK(IdempotencyTable::Turn(table, "b").answer() == 0);
    const IdempotencyTable::Turn first(table, ""), second(table, "");
    CHECK(first.answer() + second.answer() == 0);
    // The first number of an id stays.
    table.note("a", 18);
    CHECK(IdempotencyTable::Turn(table, "a").answer() == 17);
}

TEST_CASE("an append that failed is done by the next one who sends it") {
    IdempotencyTable table;
    { const IdempotencyTable::Turn failed(table, "a"); }
    CHECK(IdempotencyTable::Turn(table, "a").answer() == 0);
}

TEST_CASE("of several at once one does the append, and the others wait for its answer") {
    IdempotencyTable table;
    std::atomic<int> done{0};
    std::vector<std::thread> senders;
    for (int i = 0; i < 8; ++i) {
        senders.emplace_back([&] {
            const IdempotencyTable::Turn turn(table, "a");
            if (turn.answer() != 0) {
                CHECK(turn.answer() == 5);
                return;
            }
            ++done;
            std::this_thread::yield();
            table.note("a", 5);
        });
    }
    for (std::thread& sender : senders) sender.join();
    CHECK(done == 1);
}

TEST_CASE("the oldest ids are forgotten, and the others are listed in their order") {
    IdempotencyTable table;
    for (uint64_t i = 1; i <= 17'000; ++i) table.note(std::to_string(i), i);
    const auto all = table.all();
    CHECK(all.size() == 16'384);
    CHECK(all.front().second == 17'000 - 16'384 + 1);
    CHECK(all.back() == std::pair<std::string, uint64_t>("17000", 17'000));
    CHECK(IdempotencyTable::Turn(table, "1").answer() == 0);
}
