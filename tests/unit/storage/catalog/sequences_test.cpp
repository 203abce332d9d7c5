#include "storage/catalog/sequences.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "common/error.h"
#include "storage/catalog/catalog.h"
#include "storage/version/metadata_embedded.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

namespace {

SequenceEntry counted(const std::string& name) {
    SequenceEntry sequence;
    sequence.database = "dfs://bank";
    sequence.name = name;
    return sequence;
}

Sequences over(const RowTableFixture& fixture) {
    return Sequences([storage = fixture.storage]() -> MetaStore& { return storage->catalog().store(); });
}

}  // namespace

TEST_CASE_METHOD(RowTableFixture, "numbers are given once, and go on behind those that were taken before a crash") {
    std::set<int64_t> given;
    int64_t last = 0;
    for (int round = 0; round < 4; ++round) {
        if (round > 0) open();
        {
            Sequences sequences = over(*this);
            if (round == 0) sequences.create(counted("s"));
            for (const int64_t count : {1, 3, 40, 0, 2}) {
                for (const int64_t number : sequences.take("dfs://bank", "s", count, 1)) {
                    CHECK(number > last);
                    last = number;
                    CHECK(given.insert(number).second);
                }
            }
            CHECK(sequences.current("dfs://bank", "s", 1) == last);
            CHECK(sequences.last(1) == last);
            CHECK_THROWS_WITH(sequences.last(2), Catch::Contains("<NotYetDefined>"));
        }
        if (round == 2) storage->maintenance().checkpoint();
    }
    CHECK(last <= 4 * (46 + 32));
}

TEST_CASE_METHOD(RowTableFixture, "a sequence ends at its bound, or begins again") {
    Sequences sequences = over(*this);
    SequenceEntry down = counted("down");
    down.increment = -2, down.minimum = 1, down.maximum = 5, down.next = down.start = 5;
    sequences.create(down);
    CHECK(sequences.take("dfs://bank", "down", 3, 1) == std::vector<int64_t>{5, 3, 1});
    CHECK_THROWS_WITH(sequences.take("dfs://bank", "down", 1, 1), Catch::Contains("<SequenceEnd>"));
    sequences.change("dfs://bank", "down", [](SequenceEntry& sequence) {
        sequence.cycles = true, sequence.isEnded = false, sequence.next = 3;
    });
    CHECK(sequences.take("dfs://bank", "down", 4, 1) == std::vector<int64_t>{3, 1, 5, 3});
    sequences.set("dfs://bank", "down", 2, true, 1);
    CHECK(sequences.current("dfs://bank", "down", 1) == 2);
    CHECK(sequences.take("dfs://bank", "down", 1, 1)[0] == 5);
    sequences.set("dfs://bank", "down", 2, false, 1);
    CHECK(sequences.take("dfs://bank", "down", 1, 1)[0] == 2);
    CHECK_THROWS_WITH(sequences.set("dfs://bank", "down", 6, true, 1), Catch::Contains("<OutOfRange>"));
}

TEST_CASE_METHOD(RowTableFixture, "sequences are found by name, and go with their table and their database") {
    Sequences sequences = over(*this);
    SequenceEntry owned = counted("owned");
    owned.ownerTable = storage->catalog().table("dfs://bank", "accounts").id;
    owned.ownerColumn = "id";
    sequences.create(owned);
    sequences.create(counted("free"));
    CHECK_THROWS_WITH(sequences.create(counted("free")), Catch::Contains("<DuplicateName>"));
    CHECK(sequences.all("dfs://bank").size() == 2);
    CHECK(sequences.find("dfs://bank", "owned")->ownerColumn == "id");
    sequences.take("dfs://bank", "owned", 1, 1);
    storage->catalog().dropTable("dfs://bank", "accounts");
    CHECK_FALSE(sequences.find("dfs://bank", "owned"));
    CHECK_THROWS_WITH(sequences.take("dfs://bank", "owned", 1, 1), Catch::Contains("<NoSuchSequence>"));
    // One of the same name begins anew, whatever was taken of the one before.
    sequences.create(counted("owned"));
    CHECK(sequences.take("dfs://bank", "owned", 1, 1)[0] == 1);
    sequences.drop("dfs://bank", "owned");
    storage->catalog().dropDatabase("dfs://bank");
    CHECK(sequences.all("dfs://bank").empty());
    CHECK_THROWS_WITH(sequences.drop("dfs://bank", "free"), Catch::Contains("<NoSuchSequence>"));
}

TEST_CASE("a sequence that waits for the store keeps nobody from the numbers of others") {
    // The store's commits wait while they are held.
    std::mutex mutex;
    std::condition_variable changed;
    bool isHeld = false, isWaiting = false;
    EmbeddedMetaStore* applied = nullptr;
    uint64_t number = 0;
    EmbeddedMetaStore store([&](std::vector<Edit> edits) {
        std::unique_lock lock(mutex);
        isWaiting = isHeld;
        changed.notify_all();
        changed.wait(lock, [&] { return !isHeld; });
        applied->apply(++number, edits);
        return number;
    });
    applied = &store;
    Sequences sequences([&]() -> MetaStore& { return store; });
    sequences.create(counted("a"));
    sequences.create(counted("b"));
    CHECK(sequences.take("dfs://bank", "b", 1, 1) == std::vector<int64_t>{1});
    {
        const std::lock_guard lock(mutex);
        isHeld = true;
    }
    std::vector<int64_t> waited;
    std::thread other([&] { waited = sequences.take("dfs://bank", "a", 2, 2); });
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return isWaiting; });
    }
    CHECK(sequences.take("dfs://bank", "b", 2, 1) == std::vector<int64_t>{2, 3});
    CHECK(sequences.last(1) == 3);
    {
        const std::lock_guard lock(mutex);
        isHeld = false;
    }
    changed.notify_all();
    other.join();
    CHECK(waited == std::vector<int64_t>{1, 2});
    CHECK(sequences.current("dfs://bank", "a", 2) == 2);
}

TEST_CASE("numbers whose transaction fails are given to nobody") {
    EmbeddedMetaStore* applied = nullptr;
    uint64_t number = 0;
    bool fails = false;
    EmbeddedMetaStore store([&](std::vector<Edit> edits) {
        if (fails) throw SystemError("The disk refuses.");
        applied->apply(++number, edits);
        return number;
    });
    applied = &store;
    Sequences sequences([&]() -> MetaStore& { return store; });
    sequences.create(counted("a"));
    fails = true;
    CHECK_THROWS_AS(sequences.take("dfs://bank", "a", 1, 1), SystemError);
    CHECK_THROWS_AS(sequences.take("dfs://bank", "a", 1, 1), SystemError);
    fails = false;
    CHECK(sequences.take("dfs://bank", "a", 1, 1) == std::vector<int64_t>{1});
}
