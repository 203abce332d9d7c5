#include "storage/commit/stream_commits.h"

#include <catch2/catch.hpp>

#include "storage/folder/local_storage.h"
#include "storage/folder/maintenance.h"
#include "storage/version/version_set.h"
#include "tests/support/two_tables.h"

using namespace pelorus;

TEST_CASE("rows of a stream table and what is noted about them are one commit") {
    FaultyFileSystem files;
    constexpr uint64_t kTable = kStreamTableBit | 3;
    const auto rowsIn = [](const LocalStorage& storage) {
        const uint64_t chunk = storage.versions().find(kTable, "/");
        const ChunkVersionRef version = chunk == 0 ? nullptr : storage.versions().newest(chunk);
        return version ? version->rowCount : 0;
    };
    {
        const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
        storage->streams().append(kTable, trades(0, 10), {{"stream/note", "a", 0}}, WalWriter::Sync::AsSet);
        storage->maintenance().flush();
        storage->streams().append(kTable, trades(10, 5), {{"stream/note", "b", 0}}, WalWriter::Sync::Later);
        REQUIRE(rowsIn(*storage) == 15);
    }
    const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
    REQUIRE(rowsIn(*storage) == 15);
    REQUIRE(storage->metadata().get("stream/note")->value == "b");
    const auto isOld = [](const Segment&) { return true; };
    const auto note = [](int64_t rows) { return MetaWrite{"stream/note", std::to_string(rows), 0}; };
    REQUIRE(storage->streams().removeOldest(kTable, isOld, note) == 10);
    REQUIRE(rowsIn(*storage) == 5);
    REQUIRE(storage->metadata().get("stream/note")->value == "10");
    REQUIRE(storage->streams().removeOldest(kTable, isOld, note) == 0);
    storage->streams().remove(kTable, {{"stream/note", std::nullopt, 0}});
    REQUIRE(rowsIn(*storage) == 0);
    REQUIRE_FALSE(storage->metadata().get("stream/note"));
    storage->streams().remove(kTable, {{"stream/other", "x", 0}});
}
