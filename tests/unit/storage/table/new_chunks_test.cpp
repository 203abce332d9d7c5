// Commits that meet a chunk which nobody has made yet, while others make it and drop it: the log and memory agree on
// what there is, after a restart too.
#include <catch2/catch.hpp>
#include <thread>

#include "storage/commit/commit_path.h"
#include "storage/commit/prepared_commits.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/maintenance.h"
#include "storage/log/stamp.h"
#include "storage/table/local_table.h"
#include "storage/version/version_set.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

constexpr uint64_t kTable = 1;
constexpr int64_t kSegmentRows = 70000;  // of a commit that writes a column file
const TableSchema kSchema = {{"id", Type::Long}};
const StorageOptions kStill = {.maintenance = false};
constexpr uint64_t kDecided = stamp::ofDecision(1, stamp::kFirstBase, 0);

ChunkRows rowsOf(const std::string& path, int64_t count) {
    return {kTable,
            path,
            {0},
            makeRef<MemoryTable>(std::vector<std::string>{"id"}, std::vector<Value>{longVector(idsFrom(0, count))})};
}

int64_t rowCount(const LocalStorage& storage, const std::string& path) {
    const uint64_t chunk = storage.versions().find(kTable, path);
    const ChunkVersionRef version = chunk == 0 ? nullptr : storage.versions().newest(chunk);
    return version ? readRows(*makeChunkReader(version, kSchema, SortRule()), kSchema)->rowCount() : 0;
}

// An append that has met the new chunk "/new" and waits for its column file, with rows for "/old" in the same file,
// while another one makes the chunk and drops it again. `meanwhile` is called before the append goes on.
template <class Meanwhile>
void appendLate(FaultyFileSystem& files, LocalStorage& storage, const Meanwhile& meanwhile) {
    files.holdSyncs(true, "/data/segments");
    std::thread late([&] { storage.commits().append({rowsOf("/old", kSegmentRows), rowsOf("/new", kSegmentRows)}); });
    while (files.list("/data/segments").empty()) std::this_thread::yield();
    storage.commits().append({rowsOf("/new", 10)});
    {
        const VersionSet::Pin reader(storage.versions(), 0);
        storage.commits().removeChunks(kTable, {"/new"});
        meanwhile();
        files.holdSyncs(false);
        late.join();
    }
    REQUIRE(rowCount(storage, "/old") == kSegmentRows);
}

}  // namespace

TEST_CASE("a chunk that is dropped while an append to it waits stays away after a restart, with its column file") {
    for (const bool dropsRest : {false, true}) {
        FaultyFileSystem files;
        int64_t rows = 0;
        {
            const auto storage = LocalStorage::open("/data", files, kStill);
            appendLate(files, *storage, [] {});
            rows = rowCount(*storage, "/new");
            // Nothing that memory knows of is in the file any more.
            if (dropsRest) storage->commits().removeChunks(kTable, {"/old"});
            REQUIRE(files.list("/data/segments").size() == (dropsRest ? 0 : 1));
        }
        const auto storage = LocalStorage::open("/data", files, kStill);
        REQUIRE(rowCount(*storage, "/new") == rows);
        REQUIRE(rowCount(*storage, "/old") == (dropsRest ? 0 : kSegmentRows));
    }
}

TEST_CASE("a late append leaves the number alone that another one has for the chunk") {
    FaultyFileSystem files;
    const auto storage = LocalStorage::open("/data", files, kStill);
    uint64_t number = 0;
    bool created = false;
    appendLate(files, *storage, [&] { number = storage->versions().chunkFor(kTable, "/new", created); });
    REQUIRE(storage->versions().chunkFor(kTable, "/new", created) == number);
    storage->commits().append({rowsOf("/new", 10)});
    REQUIRE(rowCount(*storage, "/new") == 10);
}

TEST_CASE("a chunk that a prepared transaction will make shares its number with no other after a restart") {
    for (const bool checkpointFirst : {false, true}) {
        FaultyFileSystem files;
        {
            const auto storage = LocalStorage::open("/data", files, kStill);
            storage->prepared().prepare("transaction", {}, {rowsOf("/first", 10)});
            if (checkpointFirst) storage->maintenance().checkpoint();
        }
        for (int restart = 0; restart < 2; ++restart) {
            const auto storage = LocalStorage::open("/data", files, kStill);
            if (restart == 0) {
                storage->commits().append({rowsOf("/second", 20)});
                storage->prepared().applyDecisions({{"transaction", true, kDecided}});
            }
            REQUIRE(rowCount(*storage, "/first") == 10);
            REQUIRE(rowCount(*storage, "/second") == 20);
        }
    }
}

TEST_CASE("rows of a prepared transaction whose chunk is dropped come into no other chunk after a restart") {
    FaultyFileSystem files;
    {
        const auto storage = LocalStorage::open("/data", files, kStill);
        storage->commits().append({rowsOf("/old", 10)});
        storage->commits().append({rowsOf("/dropped", 10)});
        files.holdSyncs(true, "/data/segments");
        std::thread late([&] { storage->prepared().prepare("transaction", {}, {rowsOf("/dropped", kSegmentRows)}); });
        while (files.list("/data/segments").empty()) std::this_thread::yield();
        storage->commits().removeChunks(kTable, {"/dropped"});
        files.holdSyncs(false);
        late.join();
        storage->maintenance().checkpoint();
    }
    const auto storage = LocalStorage::open("/data", files, kStill);
    storage->commits().append({rowsOf("/new", 20)});
    storage->prepared().applyDecisions({{"transaction", true, kDecided}});
    REQUIRE(rowCount(*storage, "/dropped") == 0);
    REQUIRE(rowCount(*storage, "/old") == 10);
    REQUIRE(rowCount(*storage, "/new") == 20);
}

TEST_CASE("without syncs the column file of a transaction that is given up outlives no record of that") {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        FaultyFileSystem files;
        {
            const auto storage = LocalStorage::open("/data", files, {.dataSync = false, .maintenance = false});
            storage->commits().append({rowsOf("/old", 10)});
            storage->prepared().prepare("given up", {}, {rowsOf("/new", kSegmentRows)});
            storage->maintenance().flush();  // syncs the log
            storage->prepared().applyDecisions({{"given up", false, 0}});
            // Its column file makes the removal of the first one last.
            storage->prepared().prepare("other", {}, {rowsOf("/other", kSegmentRows)});
            files.losePower(seed, true);
        }
        const auto storage = LocalStorage::open("/data", files, kStill);
        REQUIRE(rowCount(*storage, "/old") == 10);
    }
}
