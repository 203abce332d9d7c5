#include "storage/local_storage.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

TEST_CASE("appended rows are found again after reopening, small and large commits alike") {
    StorageFixture fixture;
    {
        auto table = fixture.createTrades();
        REQUIRE(table->append(*trades(0, 10)).written == 10);
        REQUIRE(table->append(*trades(10, 300000)).written == 300000);
        REQUIRE(table->append(*trades(300010, 5)).written == 5);
        REQUIRE(sortedIds(*table) == idsFrom(0, 300015));
    }
    fixture.reopen();
    REQUIRE(fixture.table()->rowCount() == 300015);
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 300015));
}

TEST_CASE("rows of a partition are read in the order in which they arrived") {
    StorageFixture fixture;
    auto table = fixture.createTrades();
    for (int64_t i = 0; i < 400; i += 8) table->append(*trades(i, 8));
    table->append(*trades(400, 400000));
    for (int64_t i = 400400; i < 400800; i += 8) table->append(*trades(i, 8));
    const auto inOrder = [&] {
        const auto snapshot = fixture.table()->snapshot();
        for (size_t p = 0; p < snapshot->partitions().size(); ++p) {
            const auto reader = snapshot->open(p);
            int64_t last = -1;
            for (int block = 0; block < reader->blockCount(); ++block) {
                const Value column = reader->read(block, 2);
                const Vector* ids = &column.vector();
                for (int64_t i = 0; i < ids->size(); ++i) {
                    if (ids->items<int64_t>()[i] <= last) return false;
                    last = ids->items<int64_t>()[i];
                }
            }
        }
        return snapshot->partitions().size() == 8;
    };
    REQUIRE(inOrder());
    fixture.storage->flush();
    REQUIRE(inOrder());
    for (int64_t i = 400800; i < 402000; i += 8) {
        fixture.table()->append(*trades(i, 8));
        fixture.storage->flush();
    }
    fixture.storage->compact();
    REQUIRE(inOrder());
    table.reset();
    fixture.reopen();
    REQUIRE(inOrder());
    fixture.storage->checkpoint();
    fixture.reopen();
    REQUIRE(inOrder());
    REQUIRE(fixture.table()->rowCount() == 402000);
}

// WAL-03
TEST_CASE("the log is replayed at the start, and its files go once a checkpoint holds what they say") {
    StorageFixture fixture;
    const std::string log = fixture.folder.path() + "/data/wal";
    auto table = fixture.createTrades();
    table->append(*trades(0, 100));
    table.reset();
    fixture.reopen();
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 100));
    const std::vector<std::string> before = FileSystem::posix().list(log);
    fixture.storage->checkpoint();
    const std::vector<std::string> after = FileSystem::posix().list(log);
    REQUIRE(after.size() == 1);
    REQUIRE(std::find(before.begin(), before.end(), after[0]) == before.end());
    fixture.reopen();
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 100));
}

TEST_CASE("a snapshot keeps showing what it showed, whatever is appended, flushed or compacted later") {
    StorageFixture fixture;
    auto table = fixture.createTrades();
    table->append(*trades(0, 100));
    const auto before = table->snapshot();
    for (int64_t i = 100; i < 3000; i += 100) {
        table->append(*trades(i, 100));
        fixture.storage->flush();
    }
    fixture.storage->compact();
    int64_t rows = 0;
    for (size_t p = 0; p < before->partitions().size(); ++p) rows += before->open(p)->rowCount();
    REQUIRE(rows == 100);
    REQUIRE(columnItems(*table, 2, before->number()).size() == 100);
    REQUIRE(table->rowCount() == 3000);
}

TEST_CASE("a dropped table's files go when its last reader has gone") {
    StorageFixture fixture;
    auto table = fixture.createTrades();
    table->append(*trades(0, 300000));
    const std::string segments = fixture.folder / "data/segments";
    REQUIRE(FileSystem::posix().list(segments).size() == 1);
    auto snapshot = table->snapshot();
    const TableEntry entry = fixture.storage->catalog().dropTable("dfs://trades", "trades");
    fixture.storage->removeRows(entry.id);
    REQUIRE_THROWS_AS(table->append(*trades(0, 1)), UserError);
    REQUIRE(snapshot->open(0)->read(0, 2).size() > 0);
    snapshot.reset();
    fixture.storage->append({{99, "/x", {0}, trades(0, 1)}});  // the next commit lets go of old versions
    fixture.storage->append({{99, "/x", {0}, trades(0, 1)}});
    REQUIRE(FileSystem::posix().list(segments).empty());
    table.reset();
    fixture.reopen();
    REQUIRE_FALSE(fixture.storage->catalog().findTable("dfs://trades", "trades"));
}

TEST_CASE("a second opening of a folder is refused and says how to reach the first") {
    StorageFixture fixture;
    const std::string folder = fixture.folder / "data";
    REQUIRE_THROWS_WITH(LocalStorage::open(folder), Catch::Contains(folder) && Catch::Contains("in use"));
    fixture.storage->announce("127.0.0.1:9999");
    try {
        LocalStorage::open(folder);
        FAIL("opened twice");
    } catch (const SystemError& error) {
        REQUIRE_THAT(error.what(), Catch::Contains("127.0.0.1:9999"));
        REQUIRE_THAT(error.hint(), Catch::Contains("pelorus connect 127.0.0.1:9999"));
    }
}

TEST_CASE("rows outside the scheme are dropped and counted, or nothing is written") {
    StorageFixture fixture;
    fixture.createTrades();
    Ref<MemoryTable> rows = trades(0, 4);
    rows->mutableColumns()[1].vector().mutableItems<int32_t>()[2] = 77;
    auto table = fixture.table();
    const AppendReport report = table->append(*rows);
    REQUIRE(report.written == 3);
    REQUIRE(report.outsideScheme == 1);
    REQUIRE_THAT(report.firstOutside, Catch::Contains("row 2") && Catch::Contains("date=1970.03.19"));
    REQUIRE_THROWS_WITH(fixture.table("trades", {OutsidePolicy::Skip, false})->append(*rows),
                        Catch::Contains("S01016"));
    REQUIRE_THROWS_WITH(fixture.table("trades", {OutsidePolicy::Fail, true})->append(*rows), Catch::Contains("S01016"));
    REQUIRE(table->rowCount() == 3);
    REQUIRE(fixture.table("trades", {OutsidePolicy::Add, true})->append(*rows).written == 4);
    // A handle from before the scheme grew finds the new partition.
    REQUIRE(table->append(*rows).written == 4);
    table.reset();
    fixture.reopen();
    REQUIRE(fixture.table()->rowCount() == 11);
}

TEST_CASE("replace changes a partition as a whole, unless it changed meanwhile") {
    StorageFixture fixture;
    auto table = fixture.createTrades();
    table->append(*trades(0, 80));
    const uint64_t seen = fixture.storage->clock();
    const uint64_t id = table->entry().id;
    REQUIRE(fixture.storage->replace({{id, "/19700102/A_M", {0, 0}, trades(1000, 1)}}, seen));
    REQUIRE(table->rowCount() == 71);
    REQUIRE_FALSE(fixture.storage->replace({{id, "/19700102/A_M", {0, 0}, trades(1000, 2)}}, seen));
    table.reset();
    fixture.reopen();
    REQUIRE(fixture.table()->rowCount() == 71);
}

TEST_CASE("a prepared transaction is durable and invisible until it is decided") {
    StorageFixture fixture;
    auto table = fixture.createTrades();
    const uint64_t id = table->entry().id;
    const uint64_t yes = fixture.storage->prepare("yes", {{id, "/19700102/A_M", {0, 0}, trades(0, 10)}});
    fixture.storage->prepare("no", {{id, "/19700103/A_M", {1, 0}, trades(10, 10)}});
    REQUIRE(table->rowCount() == 0);
    table.reset();
    fixture.reopen();
    REQUIRE(fixture.table()->rowCount() == 0);
    REQUIRE(fixture.storage->undecided() == std::vector<std::string>{"no", "yes"});
    fixture.storage->checkpoint();
    fixture.reopen();
    REQUIRE(fixture.storage->decide("yes", true, yes + 1000) == yes + 1000);
    REQUIRE(fixture.storage->decide("no", false) > yes + 1000);
    REQUIRE(fixture.storage->decide("yes", true) == 0);
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 10));
    fixture.reopen();
    REQUIRE(fixture.storage->undecided().empty());
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 10));
}
