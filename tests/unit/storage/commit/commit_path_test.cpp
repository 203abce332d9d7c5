#include "storage/commit/commit_path.h"

#include <catch2/catch.hpp>

#include "storage/folder/local_storage.h"
#include "storage/version/version_set.h"
#include "tests/support/two_tables.h"

using namespace pelorus;

namespace {

ChunkRows rowsOf(const std::string& path, int64_t count) {
    return {1, path, {0}, trades(0, count)};
}

int64_t rowsIn(const LocalStorage& storage, const std::string& path) {
    const uint64_t chunk = storage.versions().find(1, path);
    const ChunkVersionRef version = chunk == 0 ? nullptr : storage.versions().newest(chunk);
    return version ? version->rowCount : 0;
}

}  // namespace

TEST_CASE("an append that is sent again is not done again, also after a restart") {
    FaultyFileSystem files;
    uint64_t first = 0;
    {
        const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
        first = storage->commits().append({rowsOf("/a", 10)}, "id");
        CHECK(storage->commits().append({rowsOf("/a", 10)}, "id") == first);
        CHECK(storage->commits().append({rowsOf("/a", 10)}, "other") > first);
    }
    const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
    CHECK(storage->commits().append({rowsOf("/a", 10)}, "id") == first);
    CHECK(rowsIn(*storage, "/a") == 20);
}

TEST_CASE("a batch whose table has changed leaves nothing, whether it adds rows or replaces them") {
    FaultyFileSystem files;
    const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
    storage->commits().append({rowsOf("/a", 10)});
    const VersionSet::Pin seen(storage->versions(), 0);
    ChunkRows rows = rowsOf("/a", 3);
    rows.replaces = GENERATE(ChunkRows::Replaces::Nothing, ChunkRows::Replaces::Seen, ChunkRows::Replaces::All);
    rows.seenAt = seen.number();
    CHECK(storage->commits().appendIf([] { return false; }, {rows}) == CommitResult::TableChanged);
    CHECK(rowsIn(*storage, "/a") == 10);
    CHECK(storage->commits().appendIf([] { return true; }, {rows}) == CommitResult::Done);
    CHECK(rowsIn(*storage, "/a") == (rows.replaces == ChunkRows::Replaces::Nothing ? 13 : 3));
}

TEST_CASE("rows that were appended since the snapshot stay when those in it are replaced") {
    FaultyFileSystem files;
    const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
    storage->commits().append({rowsOf("/a", 10)});
    const VersionSet::Pin seen(storage->versions(), 0);
    storage->commits().append({rowsOf("/a", 2)});
    CHECK(storage->commits().replace({rowsOf("/a", 5)}, seen.number()));
    CHECK(rowsIn(*storage, "/a") == 7);
    CHECK_FALSE(storage->commits().replace({rowsOf("/a", 5)}, seen.number()));
    CHECK(rowsIn(*storage, "/a") == 7);
}

TEST_CASE("a chunk that has changed since is not removed as unchanged") {
    FaultyFileSystem files;
    const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
    const uint64_t before = storage->commits().append({rowsOf("/a", 10)});
    const uint64_t chunk = storage->versions().find(1, "/a");
    const uint64_t after = storage->commits().append({rowsOf("/a", 1)});
    CHECK_FALSE(storage->commits().removeUnchanged(chunk, before));
    CHECK(rowsIn(*storage, "/a") == 11);
    CHECK(storage->commits().removeUnchanged(chunk, after));
    CHECK(storage->versions().find(1, "/a") == 0);
}

TEST_CASE("chunks are emptied or removed, and those that are not there are skipped") {
    FaultyFileSystem files;
    const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
    storage->commits().append({rowsOf("/a", 10), rowsOf("/b", 10)});
    storage->commits().removeRows(1, true);
    CHECK(rowsIn(*storage, "/a") == 0);
    CHECK(storage->versions().find(1, "/a") != 0);
    storage->commits().removeChunks(1, {"/a", "/none"});
    CHECK(storage->versions().find(1, "/a") == 0);
    CHECK(storage->versions().find(1, "/b") != 0);
    CHECK(storage->commits().chunkState(1, "/b") == std::string("COMPLETE"));
}
