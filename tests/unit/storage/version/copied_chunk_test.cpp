// The number of a chunk's last change is the same on all copies of a partition, however each lays its rows out.
#include <catch2/catch.hpp>

#include "storage/commit/commit_path.h"
#include "storage/folder/maintenance.h"
#include "storage/version/version_set.h"
#include "tests/support/two_tables.h"

using namespace pelorus;

namespace {

ChunkRows rowsOf(const std::string& path, int64_t count) {
    return {1, path, {0}, trades(0, count)};
}

uint64_t changedAt(const LocalStorage& storage, const std::string& path) {
    const ChunkVersionRef version = storage.versions().newest(storage.versions().find(1, path));
    return version ? version->changedAt : 0;
}

}  // namespace

TEST_CASE("moving rows into a segment is no change of a chunk, and the last change is there after a restart") {
    FaultyFileSystem files;
    uint64_t changed = 0;
    {
        const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
        changed = storage->commits().append({rowsOf("/a", 10)});
        CHECK(changedAt(*storage, "/a") == changed);
        storage->maintenance().flush();
        CHECK(storage->versions().newest(storage->versions().find(1, "/a"))->since > changed);
        CHECK(changedAt(*storage, "/a") == changed);
    }
    for (const bool withCheckpoint : {false, true}) {
        const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
        CHECK(changedAt(*storage, "/a") == changed);
        if (withCheckpoint) storage->maintenance().checkpoint();
    }
    CHECK(changedAt(*LocalStorage::open("/data", files, kNoMaintenance), "/a") == changed);
}

TEST_CASE("a copy has the last change of its source, also an empty one, and what stays behind it counts") {
    FaultyFileSystem files;
    uint64_t later = 0;
    {
        const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
        storage->commits().append({rowsOf("/a", 10)});
        const auto pin = std::make_unique<VersionSet::Pin>(storage->versions(), 0);
        REQUIRE(storage->commits().replace({rowsOf("/a", 5)}, pin->number(), 3));
        CHECK(changedAt(*storage, "/a") == 3);
        REQUIRE(storage->commits().replace({{1, "/empty", {0}, MemoryTable::empty({})}}, pin->number(), 7));
        CHECK(changedAt(*storage, "/empty") == 7);
        const auto before = std::make_unique<VersionSet::Pin>(storage->versions(), 0);
        later = storage->commits().append({rowsOf("/a", 1)});
        REQUIRE(storage->commits().replace({rowsOf("/a", 5)}, before->number(), 2));
        CHECK(changedAt(*storage, "/a") == later);
    }
    const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
    CHECK(changedAt(*storage, "/empty") == 7);
    CHECK(changedAt(*storage, "/a") == later);
}
