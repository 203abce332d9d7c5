#include "storage/folder/local_storage.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/prepared_commits.h"
#include "storage/folder/maintenance.h"
#include "storage/log/stamp.h"
#include "storage/version/version_set.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "common/error.h"
#include "runtime/value/array_vector.h"
#include "tests/support/faulty_file_system.h"
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
        const auto snapshot = fixture.table()->takeSnapshot();
        for (size_t p = 0; p < snapshot->partitions().size(); ++p) {
            const auto reader = snapshot->open(p);
            int64_t last = -1;
            for (int block = 0; block < reader->blockCount(); ++block) {
                const Value column = reader->read(block, 2);
                const Vector* ids = &column.vector();
                for (int64_t i = 0; i < ids->size(); ++i) {
                    if (ids->data<int64_t>()[i] <= last) return false;
                    last = ids->data<int64_t>()[i];
                }
            }
        }
        return snapshot->partitions().size() == 8;
    };
    REQUIRE(inOrder());
    fixture.storage->maintenance().flush();
    REQUIRE(inOrder());
    for (int64_t i = 400800; i < 402000; i += 8) {
        fixture.table()->append(*trades(i, 8));
        fixture.storage->maintenance().flush();
    }
    fixture.storage->maintenance().compact();
    REQUIRE(inOrder());
    table.reset();
    fixture.reopen();
    REQUIRE(inOrder());
    fixture.storage->maintenance().checkpoint();
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
    fixture.storage->maintenance().checkpoint();
    const std::vector<std::string> after = FileSystem::posix().list(log);
    REQUIRE(after.size() == 2);  // the new file, and the mark SYNCED
    REQUIRE(std::find(before.begin(), before.end(), after[0]) == before.end());
    fixture.reopen();
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 100));
}

TEST_CASE("array vectors are found again in the log, in checkpoints and in column files") {
    StorageFixture fixture;
    TableEntry entry = tradeTable("books");
    entry.schema.push_back({"levels", arrayTypeOf(Type::Double)});
    fixture.createTrades();
    fixture.storage->catalog().createTable(entry);
    // Row i has i % 3 + 1 levels, of value i.
    const auto books = [](int64_t firstId, int64_t count) {
        Ref<MemoryTable> rows = trades(firstId, count);
        auto levels = makeRef<ArrayVector>(Type::Double);
        for (int64_t i = firstId; i < firstId + count; ++i)
            levels->appendRow(*Vector::filled(Type::Double, i % 3 + 1, Value::ofDouble(static_cast<double>(i))));
        rows->setColumn("levels", Value::of(levels));
        return rows;
    };
    const auto allThere = [&](int64_t count) {
        const auto snapshot = fixture.table("books")->takeSnapshot();
        int64_t rows = 0;
        for (size_t p = 0; p < snapshot->partitions().size(); ++p) {
            const auto reader = snapshot->open(p);
            for (int block = 0; block < reader->blockCount(); ++block) {
                const Value ids = reader->read(block, 2), levels = reader->read(block, 4);
                for (int64_t i = 0; i < ids.size(); ++i, ++rows) {
                    const int64_t id = ids.vector().data<int64_t>()[i];
                    const Ref<Vector> row = levels.arrayVector().row(i);
                    if (row->size() != id % 3 + 1 || row->data<double>()[0] != static_cast<double>(id)) return false;
                }
            }
        }
        return rows == count;
    };
    fixture.table("books")->append(*books(0, 1000));
    REQUIRE(allThere(1000));
    fixture.reopen();
    REQUIRE(allThere(1000));
    fixture.storage->maintenance().checkpoint();
    fixture.reopen();
    REQUIRE(allThere(1000));
    fixture.table("books")->append(*books(1000, 300000));
    for (int64_t i = 301000; i < 301100; i += 10) {
        fixture.table("books")->append(*books(i, 10));
        fixture.storage->maintenance().flush();
    }
    fixture.storage->maintenance().compact();
    fixture.reopen();
    REQUIRE(allThere(301100));
}

TEST_CASE("a snapshot keeps showing what it showed, whatever is appended, flushed or compacted later") {
    StorageFixture fixture;
    auto table = fixture.createTrades();
    table->append(*trades(0, 100));
    const auto before = table->takeSnapshot();
    for (int64_t i = 100; i < 3000; i += 100) {
        table->append(*trades(i, 100));
        fixture.storage->maintenance().flush();
    }
    fixture.storage->maintenance().compact();
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
    auto snapshot = table->takeSnapshot();
    const TableEntry entry = fixture.storage->catalog().dropTable("dfs://trades", "trades");
    fixture.storage->commits().removeRows(entry.id);
    REQUIRE_THROWS_AS(table->append(*trades(0, 1)), UserError);
    REQUIRE(snapshot->open(0)->read(0, 2).size() > 0);
    snapshot.reset();
    fixture.storage->commits().append({{99, "/x", {0}, trades(0, 1)}});  // the next commit lets go of old versions
    fixture.storage->commits().append({{99, "/x", {0}, trades(0, 1)}});
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
    rows->mutableColumns()[1].vector().mutableData<int32_t>()[2] = 77;
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
    auto before = table->takeSnapshot();
    const uint64_t seen = before->number();
    const uint64_t id = table->entry().id;
    REQUIRE(fixture.storage->commits().replace({{id, "/19700102/A_M", {0, 0}, trades(1000, 1)}}, seen));
    REQUIRE(table->rowCount() == 71);
    REQUIRE_FALSE(fixture.storage->commits().replace({{id, "/19700102/A_M", {0, 0}, trades(1000, 2)}}, seen));
    before.reset();
    table.reset();
    fixture.reopen();
    REQUIRE(fixture.table()->rowCount() == 71);
}

// Rows that come while an update computes are not among those that it replaces: they stay after its new rows, wherever
// they are stored by then.
TEST_CASE("rows that were added since the snapshot stay behind those that a change brings") {
    const std::string path = "/19700102/A_M";  // every eighth row
    const auto idsOf = [&](LocalTable& table) {
        std::vector<int64_t> ids;
        for (const Value& id : columnItems(table, 2)) {
            if (id.integer() >= 10000 || id.integer() % 8 == 0) ids.push_back(id.integer());
        }
        return ids;
    };
    for (int how = 0; how < 5; ++how) {
        CAPTURE(how);
        StorageFixture fixture;
        auto table = fixture.createTrades();
        const uint64_t id = table->entry().id;
        table->append(*trades(0, 80));
        if (how == 1) fixture.storage->maintenance().flush();
        auto seen = table->takeSnapshot();
        table->append(*trades(80, 16));
        if (how == 2) fixture.storage->maintenance().flush();  // before and after are in one segment now
        if (how == 3) {
            for (int i = 0; i < 9; ++i) {
                table->append(*trades(96 + 16 * i, 16));
                fixture.storage->maintenance().flush();
            }
            fixture.storage->maintenance().compact();
        }
        const std::vector<int64_t> present = idsOf(*table);
        const bool done = fixture.storage->commits().replace({{id, path, {0, 0}, trades(10000, 1)}}, seen->number());
        if (how == 3) {
            REQUIRE_FALSE(done);  // rows were merged into another order: looked at again
            continue;
        }
        REQUIRE(done);
        std::vector<int64_t> expected{10000};
        expected.insert(expected.end(), present.begin() + 10, present.end());
        REQUIRE(idsOf(*table) == expected);
        REQUIRE(columnItems(*table, 2, seen->number()).size() == 80);
        if (how == 4) fixture.storage->maintenance().checkpoint();
        seen.reset();
        table.reset();
        fixture.reopen();
        REQUIRE(idsOf(*fixture.table()) == expected);
    }
}

TEST_CASE("an update gets through beside writers of single rows") {
    StorageFixture fixture(StorageOptions{});
    const auto table = fixture.createTrades();
    table->append(*trades(0, 8000));
    const auto update = [&] {
        const auto start = std::chrono::steady_clock::now();
        for (;;) {
            const auto seen = table->takeSnapshot();
            std::vector<std::pair<size_t, Ref<MemoryTable>>> changed;
            for (size_t p = 0; p < seen->partitions().size(); ++p)
                changed.emplace_back(p, readRows(*seen->open(p), kTradeSchema));
            if (table->replace(*seen, changed)) break;
        }
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    std::atomic<bool> stop{false};
    std::vector<std::thread> writers;
    for (int w = 0; w < 12; ++w) {
        writers.emplace_back([&, w] {
            for (int64_t i = 0; !stop; ++i) fixture.table()->append(*trades(100000 * (w + 1) + i, 1));
        });
    }
    double slowest = 0;
    for (int i = 0; i < 5; ++i) slowest = std::max(slowest, update());
    stop = true;
    for (std::thread& writer : writers) writer.join();
    CHECK(slowest < 5);  // tens of milliseconds; 26 s when every row made it begin again
}

TEST_CASE("a prepared transaction is durable and invisible until it is decided") {
    StorageFixture fixture;
    auto table = fixture.createTrades();
    const uint64_t id = table->entry().id;
    fixture.storage->prepared().prepare("yes", {"a", "b"}, {{id, "/19700102/A_M", {0, 0}, trades(0, 10)}});
    fixture.storage->prepared().prepare("no", {"a"}, {{id, "/19700103/A_M", {1, 0}, trades(10, 10)}});
    REQUIRE(table->rowCount() == 0);
    table.reset();
    fixture.reopen();
    REQUIRE(fixture.table()->rowCount() == 0);
    for (const bool checkpointed : {false, true}) {
        CAPTURE(checkpointed);
        const auto open = fixture.storage->prepared().openTransactions();
        REQUIRE(open.size() == 2);
        REQUIRE(open[0].name == "yes");
        REQUIRE(open[0].participants == std::vector<std::string>{"a", "b"});
        REQUIRE(open[1].name == "no");
        fixture.storage->maintenance().checkpoint();
        fixture.reopen();
    }
    // Others may append to the chunks meanwhile.
    fixture.storage->commits().append({{id, "/19700102/A_M", {0, 0}, trades(10, 5)}});
    const uint64_t decided = stamp::ofDecision(7, stamp::kFirstBase, 0);
    fixture.storage->prepared().applyDecisions(
        {{"yes", true, decided}, {"no", false, 0}, {"unknown", true, decided + 1}});
    REQUIRE(fixture.storage->versions().visible() == decided);
    fixture.storage->prepared().applyDecisions({{"yes", true, decided + 9}});
    REQUIRE(fixture.storage->versions().visible() == decided);
    // The next number of this node's own belongs to the revision after the decision.
    REQUIRE(fixture.storage->commits().append({{id, "/19700102/A_M", {0, 0}, trades(15, 1)}}) ==
            stamp::firstOwnAfter(7, stamp::kFirstBase));
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 16));
    fixture.reopen();
    REQUIRE(fixture.storage->prepared().openTransactions().empty());
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 16));
}

// WAL-04
TEST_CASE("column files go to the volumes in turn, to none that is full, and are found again") {
    FaultyFileSystem files;
    const StorageOptions options{.volumes = {"/one", "/two"}, .volumeUsageThreshold = 0.97, .maintenance = false};
    StorageFixture fixture(options, files);
    const auto count = [&](const std::string& volume) {
        size_t segments = 0;
        for (const std::string& name : files.list(volume + "/segments")) segments += name.ends_with(".seg") ? 1 : 0;
        return segments;
    };
    auto table = fixture.createTrades();
    for (int64_t i = 0; i < 4; ++i) {
        table->append(*trades(i * 100, 100));
        fixture.storage->maintenance().flush();
    }
    REQUIRE(count("/one") == 2);
    REQUIRE(count("/two") == 2);
    files.setFullFolders({"/one/segments"});
    for (int64_t i = 4; i < 6; ++i) {
        table->append(*trades(i * 100, 100));
        fixture.storage->maintenance().flush();
    }
    REQUIRE(count("/one") == 2);
    REQUIRE(count("/two") == 4);
    files.setFullFolders({"/one/segments", "/two/segments"});
    REQUIRE_THROWS_WITH(table->append(*trades(600, 200000)), Catch::Contains("volumeUsageThreshold"));
    REQUIRE(sortedIds(*table) == idsFrom(0, 600));
    files.setFullFolders({});
    REQUIRE_THROWS_WITH(LocalStorage::open("/other", files, options), Catch::Contains("/one is in use"));
    table.reset();
    fixture.reopen();
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 600));
    fixture.storage->maintenance().checkpoint();
    fixture.storage.reset();
    const std::string folder = fixture.folder.path() + "/data";
    REQUIRE_THROWS_WITH(LocalStorage::open(folder, files, {.maintenance = false}), Catch::Contains("is missing"));
    fixture.reopen();
    fixture.storage->commits().removeRows(fixture.table()->entry().id);
    fixture.reopen();
    REQUIRE(count("/one") + count("/two") == 0);
}

// RedoLogDir
TEST_CASE("a log may lie in a folder of its own, which must not be forgotten") {
    TemporaryFolder log;
    StorageFixture fixture({.logFolder = log / "log", .maintenance = false});
    const std::string folder = fixture.folder.path() + "/data";
    fixture.createTrades()->append(*trades(0, 100));
    REQUIRE(FileSystem::posix().list(joinPath(folder, "wal")).empty());
    fixture.reopen();
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 100));
    fixture.storage.reset();
    REQUIRE_THROWS_WITH(LocalStorage::open(folder), Catch::Contains("The log of") && Catch::Contains(log / "log"));
    REQUIRE_THROWS_WITH(LocalStorage::open(log / "second", FileSystem::posix(), {.logFolder = log / "log"}),
                        Catch::Contains("not empty"));
    StorageFixture plain;
    plain.storage.reset();
    REQUIRE_THROWS_WITH(
        LocalStorage::open(plain.folder.path() + "/data", FileSystem::posix(), {.logFolder = log / "other"}),
        Catch::Contains("The log of"));
    fixture.reopen();
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 100));
}

// RedoLogPurgeInterval, redoLogPurgeLimit
TEST_CASE("a log goes when it is old or long, and what it said stays") {
    for (const StorageOptions& options :
         {StorageOptions{.checkpointSeconds = 1}, StorageOptions{.checkpointBytes = 1000}}) {
        StorageFixture fixture(options);
        const std::string log = fixture.folder.path() + "/data/wal";
        fixture.createTrades()->append(*trades(0, 1000));
        const std::vector<std::string> before = FileSystem::posix().list(log);
        for (int i = 0; i < 500 && FileSystem::posix().list(log) == before; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        REQUIRE(FileSystem::posix().list(log) != before);
        fixture.reopen();
        REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 1000));
    }
}

TEST_CASE("a log goes when it is long, though no run has written much of it") {
    StorageFixture fixture;
    const std::string folder = fixture.folder.path() + "/data", log = joinPath(folder, "wal");
    fixture.createTrades();
    constexpr int kRuns = 4;
    int64_t longest = 0, all = 0;
    for (int run = 0; run < kRuns; ++run) {
        fixture.table()->append(*trades(run * 1000, 1000));
        fixture.reopen();
    }
    const std::vector<std::string> files = FileSystem::posix().list(log);
    for (const std::string& name : files) {
        const int64_t bytes = FileSystem::posix().openForRead(joinPath(log, name))->size();
        longest = std::max(longest, bytes);
        all += bytes;
    }
    REQUIRE(all > 2 * longest);
    fixture.storage.reset();
    fixture.storage = LocalStorage::open(folder, FileSystem::posix(), {.checkpointBytes = 2 * longest});
    const auto isThere = [&] { return FileSystem::posix().exists(joinPath(log, files.front())); };
    for (int i = 0; i < 500 && isThere(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    REQUIRE_FALSE(isThere());
    fixture.reopen();
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, kRuns * 1000));
}

// The bytes of the rows start a flush, whatever their number.
TEST_CASE("a write cache of long texts is flushed before one of numbers") {
    StorageFixture fixture({.writeCacheBytes = 1 << 20});
    TableEntry entry = tradeTable("notes");
    entry.schema.push_back({"note", Type::String});
    fixture.createTrades();
    fixture.storage->catalog().createTable(entry);
    fixture.table()->append(*trades(0, 1000));
    REQUIRE(fixture.storage->versions().cachedBytes() == 1000 * (4 + 4 + 8 + 8));
    Ref<MemoryTable> rows = trades(0, 1000);
    rows->setColumn("note", stringVector(std::vector<std::string>(1000, std::string(2000, 'x')), Type::String));
    fixture.table("notes")->append(*rows);
    for (int i = 0; i < 500 && fixture.storage->versions().cachedBytes() > 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    REQUIRE(fixture.storage->versions().cachedBytes() == 0);
    REQUIRE(fixture.storage->versions().cachedRows() == 0);
    REQUIRE(fixture.table("notes")->rowCount() == 1000);
}

TEST_CASE("a chunk says that it is in a transaction, and the second of two updates says so and writes nothing") {
    StorageFixture fixture;
    auto table = fixture.createTrades();
    table->append(*trades(0, 80));
    const uint64_t id = table->entry().id;
    const std::string path = "/19700102/A_M";
    REQUIRE(fixture.storage->commits().chunkState(id, path) == std::string("COMPLETE"));
    fixture.storage->prepared().prepare("t", {}, {{id, path, {0, 0}, trades(1000, 10)}});
    REQUIRE(fixture.storage->commits().chunkState(id, path) == std::string("IN_TRANSACTION"));
    fixture.storage->prepared().applyDecisions({{"t", false, 0}});
    REQUIRE(fixture.storage->commits().chunkState(id, path) == std::string("COMPLETE"));

    const auto seen = table->takeSnapshot();
    const auto change = [&](LocalTable& target) { return target.replace(*seen, {{0, trades(2000, 1)}}); };
    // Rows that were only added are no conflict: they stay behind the new ones.
    table->append(*trades(80, 16));
    REQUIRE(change(*table));
    REQUIRE(table->rowCount() == 96 - 10 + 1);
    REQUIRE(table->replace(*table->takeSnapshot(), {{0, trades(2000, 2)}}));
    REQUIRE_THROWS_WITH(change(*table), Catch::StartsWith("<ChunkInTransaction>") && Catch::Contains(path));
    REQUIRE(table->rowCount() == 96 - 12 + 2);
}

TEST_CASE("an upsert that meets new partitions is one transaction, and two of them make no double keys") {
    for (int64_t n = 1;; ++n) {
        const auto disk = std::make_unique<FaultyFileSystem>();
        bool broken = false, acknowledged = false;
        {
            StorageFixture fixture({.maintenance = false}, *disk);
            auto table = fixture.createTrades();
            table->append(*trades(0, 2));
            disk->breakAt(FaultyFileSystem::Fault::Power, n);
            try {
                table->upsert(*trades(0, 16), {{"id"}, {}, false});
                acknowledged = true;
            } catch (const SystemError&) {
            }
            broken = disk->isBroken();
            table.reset();
            fixture.storage.reset();
            disk->losePower(static_cast<uint64_t>(n));
            fixture.reopen();
            const int64_t rows = fixture.table()->rowCount();
            REQUIRE((rows == 16 || (rows == 2 && !acknowledged)));
        }
        if (!broken) break;
    }
    StorageFixture fixture;
    fixture.createTrades();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (bool done = false; !done;) {
                try {
                    fixture.table()->upsert(*trades(0, 16), {{"id"}, {}, false});
                    done = true;
                } catch (const SystemError& error) {
                    if (!error.retryable()) throw;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(sortedIds(*fixture.table()) == idsFrom(0, 16));
}
