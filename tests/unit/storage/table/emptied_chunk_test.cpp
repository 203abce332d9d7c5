// Chunks that a checkpoint finds without rows. The log after it names rows by their position since rows were last
// removed, so that the checkpoint must carry over the number of removals, also for a chunk that has no rows.
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "common/error.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/maintenance.h"
#include "storage/table/local_table.h"
#include "storage/version/version_set.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

constexpr uint64_t kTable = 1;
const TableSchema kSchema = {{"id", Type::Long}};
const StorageOptions kByHand = {.maintenance = false};

ChunkRows rowsOf(const std::string& path, int64_t first, int64_t count) {
    return idRows(kTable, path, path == "/a" ? 0 : 1, first, count);
}

std::vector<int64_t> idsIn(const LocalStorage& storage, const std::string& path) {
    const ChunkVersionRef version = storage.versions().newest(storage.versions().find(kTable, path));
    if (!version) return {};
    const auto rows = readRows(*makeChunkReader(version, kSchema, SortRule()), kSchema);
    const int64_t* ids = rows->column(0).vector().data<int64_t>();
    return {ids, ids + rows->rowCount()};
}

// Two chunks that had rows and have none when the checkpoint is made.
void emptyBothAndCheckpoint(LocalStorage& storage) {
    storage.commits().append({rowsOf("/a", 0, 3), rowsOf("/b", 0, 3)});
    storage.commits().removeRows(kTable, true);
    storage.maintenance().checkpoint();
}

}  // namespace

TEST_CASE("a chunk that was emptied before a checkpoint keeps what is merged behind it") {
    FaultyFileSystem files;
    constexpr int kAppends = 9, kRows = 70000;
    {
        const auto storage = LocalStorage::open("/data", files, kByHand);
        emptyBothAndCheckpoint(*storage);
        for (int i = 0; i < kAppends; ++i) storage->commits().append({rowsOf("/a", i * kRows, kRows)});
        storage->maintenance().compact();
        REQUIRE(idsIn(*storage, "/a") == idsFrom(0, kAppends * kRows));
    }
    const auto storage = LocalStorage::open("/data", files, kByHand);
    REQUIRE(idsIn(*storage, "/a") == idsFrom(0, kAppends * kRows));
}

TEST_CASE(
    "rows that were removed while a flush wrote them stay away, in a chunk that was emptied before a checkpoint") {
    FaultyFileSystem files;
    const bool isUpdate = GENERATE(true, false);
    {
        const auto storage = LocalStorage::open("/data", files, kByHand);
        emptyBothAndCheckpoint(*storage);
        // The rows of /b keep the file that the flush writes.
        storage->commits().append({rowsOf("/a", 10, 5), rowsOf("/b", 20, 5)});
        files.holdSyncs(true, "/data/segments");
        std::thread flush([&] { storage->maintenance().flush(); });
        while (files.list("/data/segments").empty()) std::this_thread::yield();
        if (isUpdate) {
            const VersionSet::Pin seen(storage->versions(), 0);
            REQUIRE(storage->commits().replace({rowsOf("/a", 0, 0)}, seen.number()));
        } else {
            storage->commits().removeChunks(kTable, {"/a"});
        }
        files.holdSyncs(false);
        flush.join();
        REQUIRE(idsIn(*storage, "/a").empty());
    }
    const auto storage = LocalStorage::open("/data", files, kByHand);
    REQUIRE(idsIn(*storage, "/a").empty());
    REQUIRE(idsIn(*storage, "/b") == idsFrom(20, 5));
}

TEST_CASE("a start that misses a column file removes none") {
    FaultyFileSystem files;
    {
        const auto storage = LocalStorage::open("/data", files, kByHand);
        storage->commits().append({rowsOf("/a", 0, 70000)});
        storage->commits().append({rowsOf("/b", 0, 70000)});
    }
    const std::vector<std::string> names = files.list("/data/segments");
    REQUIRE(names.size() == 2);
    // Nobody's, as far as the log says: removed by a start that is well.
    files.create("/data/segments/00000000000000ff.seg");
    files.remove("/data/segments/" + names[0]);
    REQUIRE_THROWS_AS(LocalStorage::open("/data", files, kByHand), SystemError);
    REQUIRE(files.list("/data/segments") == std::vector<std::string>{names[1], "00000000000000ff.seg"});
}
