// A change of rows while a flush that it did not see is on its way into the log.
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

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

ChunkRows rowsOf(int64_t first, int64_t count) {
    return idRows(kTable, "/chunk", 0, first, count);
}

std::vector<int64_t> idsIn(const LocalStorage& storage) {
    const ChunkVersionRef version = storage.versions().newest(storage.versions().find(kTable, "/chunk"));
    const auto rows = readRows(*makeChunkReader(version, kSchema, SortRule()), kSchema);
    const int64_t* ids = rows->column(0).vector().data<int64_t>();
    return {ids, ids + rows->rowCount()};
}

}  // namespace

TEST_CASE("rows that came since an update looked stay, when a flush gets ahead of it") {
    FaultyFileSystem files;
    const std::vector<int64_t> expected = {1000, 1001, 5, 6, 7};
    {
        const auto storage = LocalStorage::open("/data", files, {.maintenance = false});
        storage->commits().append({rowsOf(0, 5)});
        const VersionSet::Pin seen(storage->versions(), 0);
        storage->commits().append({rowsOf(5, 3)});
        files.holdSyncs(true, "/data/wal");
        std::thread flush([&] { storage->maintenance().flush(); });
        while (files.list("/data/segments").empty()) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until its record waits for the sync
        bool replaced = false;
        std::thread update([&] { replaced = storage->commits().replace({rowsOf(1000, 2)}, seen.number()); });
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        files.holdSyncs(false);
        flush.join();
        update.join();
        REQUIRE(replaced);
        REQUIRE(idsIn(*storage) == expected);
    }
    const auto storage = LocalStorage::open("/data", files, {.maintenance = false});
    REQUIRE(idsIn(*storage) == expected);
}
