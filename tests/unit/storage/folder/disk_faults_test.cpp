// Acknowledged commits survive, and nothing is half, whatever faults the disk has.
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <thread>

#include "common/error.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/maintenance.h"
#include "storage/log/wal_writer.h"
#include "storage/version/version_set.h"
#include "tests/support/two_tables.h"

using namespace pelorus;

namespace {

// Batches of ids [i * kBatch, …): each is wholly there in both tables or in none.
constexpr int64_t kBatch = 1000;

std::vector<bool> wholeBatches(const TwoTables& tables, int64_t batches) {
    std::vector<bool> there(static_cast<size_t>(batches));
    std::map<std::string, std::vector<int64_t>> counts;
    for (const char* name : {"a", "b"}) {
        std::vector<int64_t>& count = counts[name];
        count.resize(static_cast<size_t>(batches));
        for (const int64_t id : sortedIds(*tables.table(name))) ++count[static_cast<size_t>(id / kBatch)];
    }
    REQUIRE(counts["a"] == counts["b"]);
    for (size_t i = 0; i < there.size(); ++i) {
        REQUIRE((counts["a"][i] == 0 || counts["a"][i] == kBatch));
        there[i] = counts["a"][i] != 0;
    }
    return there;
}

}  // namespace

// With dataSync=1 an acknowledged commit is on stable storage.
TEST_CASE("after a power loss everything acknowledged is there and nothing is half") {
    for (uint64_t seed = 0; seed < 40; ++seed) {
        FaultyFileSystem files;
        std::mt19937_64 random(seed);
        int64_t next = 0;
        std::vector<bool> acknowledged;
        for (int life = 0; life < 3; ++life) {
            TwoTables tables(files);
            const std::vector<bool> found = wholeBatches(tables, next);
            for (size_t i = 0; i < acknowledged.size(); ++i) REQUIRE((found[i] || !acknowledged[i]));
            acknowledged = found;
            const auto commits = 1 + random() % 10;
            for (uint64_t c = 0; c < commits; ++c) {
                tables.append(next++ * kBatch, kBatch);
                acknowledged.push_back(true);
                if (random() % 4 == 0) tables.storage->maintenance().flush();
                if (random() % 6 == 0) tables.storage->maintenance().checkpoint();
                if (random() % 6 == 0) tables.storage->maintenance().compact();
            }
            // The last commit loses its sync: nobody is told that it is there.
            files.failSyncs(random() % 2 == 0);
            try {
                tables.append(next * kBatch, kBatch);
                acknowledged.push_back(true);
            } catch (const SystemError&) {
                acknowledged.push_back(false);
            }
            ++next;
            files.losePower(random());
        }
        TwoTables tables(files);
        const std::vector<bool> found = wholeBatches(tables, next);
        for (size_t i = 0; i < acknowledged.size(); ++i) REQUIRE((found[i] || !acknowledged[i]));
    }
}

TEST_CASE("on a full disk a commit fails with a clear error, leaves nothing, and later ones work again") {
    for (const int64_t count : {kBatch, int64_t{200000}}) {  // through the log, and as a segment
        FaultyFileSystem files;
        TwoTables tables(files);
        tables.append(0, kBatch);
        for (const int64_t freeBytes : {0, 1, 20, 2000}) {
            files.setFreeBytes(freeBytes);
            REQUIRE_THROWS_WITH(tables.append(kBatch, count), Catch::Contains("No space left"));
            REQUIRE(tables.table("a")->rowCount() == kBatch);
        }
        files.setFreeBytes(INT64_MAX);
        tables.append(kBatch, count);
        REQUIRE(tables.table("a")->rowCount() == kBatch + count);
        tables.storage.reset();
        files.losePower(1);
        TwoTables reopened(files);
        REQUIRE(sortedIds(*reopened.table("a")) == idsFrom(0, kBatch + count));
        REQUIRE(sortedIds(*reopened.table("b")) == idsFrom(0, kBatch + count));
    }
}

TEST_CASE("after a failed sync nothing is written until the folder is reopened") {
    FaultyFileSystem files;
    {
        TwoTables tables(files);
        tables.append(0, kBatch);
        files.failSyncs(true);
        REQUIRE_THROWS_WITH(tables.append(kBatch, kBatch), Catch::Contains("sync"));
        files.failSyncs(false);
        REQUIRE_THROWS_WITH(tables.append(2 * kBatch, kBatch), Catch::Contains("accepts no writes"));
        REQUIRE(tables.table("a")->rowCount() == kBatch);
    }
    TwoTables reopened(files);
    reopened.append(3 * kBatch, kBatch);
    const std::vector<bool> found = wholeBatches(reopened, 4);
    REQUIRE(found[0]);
    REQUIRE(found[3]);
    REQUIRE_FALSE(found[2]);
}

TEST_CASE("a log whose sync failed is begun anew, without what failed, and a crash at any call loses nothing") {
    for (int64_t call = 0;; ++call) {
        FaultyFileSystem files;
        bool hasEnded = false;
        {
            TwoTables tables(files);
            tables.append(0, kBatch);
            files.failSyncs(true);
            REQUIRE_THROWS_WITH(tables.append(kBatch, kBatch), Catch::Contains("sync"));
            CHECK_FALSE(tables.storage->log().isSound());
            CHECK_THROWS_AS(tables.storage->maintenance().renewLog(), SystemError);
            files.failSyncs(false);
            if (call > 0) files.breakAt(FaultyFileSystem::Fault::Power, call);
            try {
                tables.storage->maintenance().renewLog();
                CHECK(tables.storage->log().isSound());
                CHECK(tables.storage->log().syncedNumber() == tables.storage->versions().visible());
                tables.append(2 * kBatch, kBatch);
                hasEnded = true;
                CHECK(wholeBatches(tables, 3) == std::vector<bool>{true, false, true});
            } catch (const SystemError&) {
                CHECK(call > 0);
            }
        }
        hasEnded = hasEnded && call > 0 && !files.isBroken();
        files.losePower(static_cast<uint64_t>(call));
        TwoTables reopened(files);
        const std::vector<bool> found = wholeBatches(reopened, 3);
        REQUIRE(found[0]);
        if (call == 0 || hasEnded) REQUIRE(found == std::vector<bool>{true, false, true});
        reopened.append(3 * kBatch, kBatch);
        if (hasEnded) break;
    }
}

TEST_CASE("a data folder without its log is damaged, not new") {
    FaultyFileSystem files;
    { TwoTables tables(files); }
    for (const std::string& name : files.list("/data/wal")) files.remove("/data/wal/" + name);
    REQUIRE_THROWS_WITH(TwoTables(files), Catch::Contains("is missing"));
}

TEST_CASE("damage in the middle of a log is reported and not skipped") {
    TemporaryFolder folder;
    const std::string data = folder / "data";
    FileSystem& files = FileSystem::posix();
    for (int life = 0; life < 2; ++life) {
        const auto storage = LocalStorage::open(data, files, kNoMaintenance);
        for (int i = 0; i < 20; ++i) storage->commits().append({{1, "/a", {0}, trades(i * 10, 10)}});
    }
    const std::string log = joinPath(joinPath(data, "wal"), files.list(joinPath(data, "wal"))[0]);
    std::string bytes = readWholeFile(files, log);
    bytes[bytes.size() / 2] ^= 1;
    files.create(log)->append(bytes);
    REQUIRE_THROWS_WITH(LocalStorage::open(data, files, kNoMaintenance), Catch::Contains("damaged"));
}

TEST_CASE("many threads append to one partition at once, and readers see whole batches only") {
    StorageFixture fixture(StorageOptions{});
    const auto table = fixture.createTrades();
    constexpr int kThreads = 8, kCommits = 40, kRows = 64;
    std::atomic<int> running{kThreads};
    std::atomic<bool> torn{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            const auto handle = fixture.table();
            for (int i = 0; i < kCommits; ++i) handle->append(*trades((t * kCommits + i) * kRows, kRows));
            --running;
        });
    }
    threads.emplace_back([&] {
        while (running > 0) {
            const auto snapshot = table->takeSnapshot();
            int64_t rows = 0;
            for (size_t p = 0; p < snapshot->partitions().size(); ++p) rows += snapshot->open(p)->rowCount();
            if (rows % kRows != 0) torn = true;
        }
    });
    for (std::thread& thread : threads) thread.join();
    REQUIRE_FALSE(torn);
    REQUIRE(sortedIds(*table) == idsFrom(0, kThreads * kCommits * kRows));
}

// One snapshot over partitions and tables; writers and readers do not wait for each other.
TEST_CASE("amounts that move between partitions and tables always have the same sum") {
    StorageFixture fixture(StorageOptions{});
    constexpr int64_t kAccounts = 64;
    fixture.createTrades("a")->append(*trades(0, kAccounts));
    fixture.createTrades("b")->append(*trades(0, kAccounts));
    const auto amountIn = [](const TableSnapshot& snapshot) {
        double sum = 0;
        for (size_t p = 0; p < snapshot.partitions().size(); ++p) {
            const Ref<MemoryTable> rows = readRows(*snapshot.open(p), kTradeSchema);
            for (int64_t i = 0; i < rows->rowCount(); ++i) sum += rows->column(3).vector().data<double>()[i];
        }
        return sum;
    };
    const auto total = [&] {
        const auto a = fixture.table("a")->takeSnapshot();
        const auto b = fixture.table("b")->takeSnapshot(a->number());
        return amountIn(*a) + amountIn(*b);
    };
    const double expected = total();
    constexpr int kMoves = 100;
    std::atomic<int> running{2};
    std::atomic<int> differences{0};
    std::vector<std::thread> threads;
    for (int writer = 0; writer < 2; ++writer) {
        threads.emplace_back([&, writer] {
            std::mt19937_64 random(static_cast<uint64_t>(writer));
            for (int moved = 0; moved < kMoves;) {
                // A partition of each table changes; by an integer, so that sums are exact.
                std::vector<ChunkRows> chunks;
                std::vector<std::shared_ptr<TableSnapshot>> snapshots;  // kept: they keep what has their number
                uint64_t number = 0;
                for (const char* name : {"a", "b"}) {
                    const auto table = fixture.table(name);
                    const auto seen = table->takeSnapshot(number);
                    snapshots.push_back(seen);
                    number = seen->number();
                    const auto p = static_cast<size_t>(random() % seen->partitions().size());
                    Ref<MemoryTable> rows = readRows(*seen->open(p), kTradeSchema);
                    rows->mutableColumns()[3].vector().mutableData<double>()[0] += chunks.empty() ? 1 : -1;
                    const std::vector<int>& index = seen->partitions()[p].index;
                    chunks.push_back({table->entry().id, table->scheme().path(index), index, rows});
                }
                moved += fixture.storage->commits().replace(std::move(chunks), number) ? 1 : 0;
            }
            --running;
        });
    }
    threads.emplace_back([&] {
        while (running > 0) differences += std::abs(total() - expected) > 1e-9 ? 1 : 0;
    });
    for (std::thread& thread : threads) thread.join();
    REQUIRE(differences == 0);
    REQUIRE(std::abs(total() - expected) < 1e-9);
}

// With dataSync=0 a power loss may take the last commits, never one before a commit that stays, and none half.
TEST_CASE("without syncs a power loss takes a suffix of the commits and leaves none half") {
    int64_t lost = 0;
    for (uint64_t seed = 0; seed < 30; ++seed) {
        FaultyFileSystem files;
        std::mt19937_64 random(seed);
        int64_t next = 0;
        std::vector<bool> kept;
        for (int life = 0; life < 3; ++life) {
            TwoTables tables(files, {.dataSync = false, .maintenance = false});
            // Rows that a start found are on stable storage from then on.
            const std::vector<bool> found = wholeBatches(tables, next);
            for (size_t i = 0; i < kept.size(); ++i) REQUIRE(found[i] == kept[i]);
            const auto commits = 1 + random() % 12;
            for (uint64_t c = 0; c < commits; ++c) {
                tables.append(next++ * kBatch, kBatch);
                if (random() % 8 == 0) tables.storage->maintenance().flush();
                if (random() % 12 == 0) tables.storage->maintenance().checkpoint();
            }
            files.losePower(random());
            TwoTables after(files, {.dataSync = false, .maintenance = false});
            const std::vector<bool> now = wholeBatches(after, next);
            for (size_t i = kept.size() + 1; i < now.size(); ++i) REQUIRE((now[i - 1] || !now[i]));
            lost += std::count(now.begin() + static_cast<std::ptrdiff_t>(kept.size()), now.end(), false);
            kept = now;
        }
    }
    REQUIRE(lost > 0);  // or nothing was tested
}
