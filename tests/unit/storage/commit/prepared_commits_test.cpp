#include "storage/commit/prepared_commits.h"

#include <catch2/catch.hpp>

#include "storage/commit/commit_path.h"
#include "storage/folder/local_storage.h"
#include "storage/folder/maintenance.h"
#include "storage/log/stamp.h"
#include "storage/version/version_set.h"
#include "tests/support/storage_fixture.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

const std::string kPath = "/1";

int64_t rowsIn(const LocalStorage& storage) {
    const VersionSet& versions = storage.versions();
    const uint64_t chunk = versions.find(1, kPath);
    const ChunkVersionRef version = chunk == 0 ? nullptr : versions.newest(chunk);
    return version ? version->rowCount : 0;
}

ChunkRows rows(int64_t first, int64_t count) {
    return idRows(1, kPath, 1, first, count);
}

}  // namespace

TEST_CASE("a prepared batch is seen by nobody until it is committed") {
    const TemporaryFolder folder;
    const auto storage = LocalStorage::open(folder.path());
    storage->commits().append({rows(100, 1)});
    REQUIRE(storage->prepared().prepare("t", {"a", "b"}, {rows(0, 10)}) == CommitResult::Done);
    CHECK(rowsIn(*storage) == 1);
    CHECK(storage->prepared().isPrepared("t"));
    CHECK(storage->commits().chunkState(1, kPath) == std::string("IN_TRANSACTION"));
    storage->prepared().applyDecisions({{"t", true, stamp::nextOwn(storage->versions().visible())}});
    CHECK(rowsIn(*storage) == 11);
    CHECK_FALSE(storage->prepared().isPrepared("t"));
    CHECK(storage->commits().chunkState(1, kPath) == std::string("COMPLETE"));
}

TEST_CASE("an aborted batch leaves no row and no lock") {
    const TemporaryFolder folder;
    const auto storage = LocalStorage::open(folder.path());
    REQUIRE(storage->prepared().prepare("t", {"a"}, {rows(0, 10)}) == CommitResult::Done);
    storage->prepared().applyDecisions({{"t", false, 0}, {"never prepared", true, 5}});
    CHECK(rowsIn(*storage) == 0);
    storage->commits().removeRows(1, true);  // nobody holds the chunk
    CHECK(storage->prepared().openTransactions().empty());
}

TEST_CASE("what is prepared survives a restart, with its nodes and its locks") {
    const TemporaryFolder folder;
    const bool withCheckpoint = GENERATE(false, true);
    {
        const auto storage = LocalStorage::open(folder.path());
        storage->commits().append({rows(0, 5)});
        const auto seen = VersionSet::Pin(storage->versions(), 0);
        ChunkRows change = rows(100, 3);
        change.replaces = ChunkRows::Replaces::Seen;
        change.seenAt = seen.number();
        REQUIRE(storage->prepared().prepare("change", {"a", "b"}, {change}) == CommitResult::Done);
        if (withCheckpoint) storage->maintenance().checkpoint();
    }
    const auto storage = LocalStorage::open(folder.path());
    const auto open = storage->prepared().openTransactions();
    REQUIRE(open.size() == 1);
    CHECK(open[0].name == "change");
    CHECK(open[0].participants == std::vector<std::string>{"a", "b"});
    CHECK(open[0].chunks == 1);
    CHECK(storage->prepared().prepare("append", {"a"}, {rows(0, 1)}, std::chrono::milliseconds(10)) ==
          CommitResult::Busy);
    storage->prepared().applyDecisions({{"change", true, stamp::nextOwn(storage->versions().visible())}});
    CHECK(rowsIn(*storage) == 3);
    CHECK(storage->prepared().prepare("append", {"a"}, {rows(0, 1)}) == CommitResult::Done);
}

TEST_CASE("a change of rows that were changed since is refused, and prepares nothing") {
    const TemporaryFolder folder;
    const auto storage = LocalStorage::open(folder.path());
    storage->commits().append({rows(0, 5)});
    const VersionSet::Pin seen(storage->versions(), 0);
    REQUIRE(storage->commits().replace({rows(0, 4)}, seen.number()));
    ChunkRows change = rows(100, 3);
    change.replaces = ChunkRows::Replaces::Seen;
    change.seenAt = seen.number();
    CHECK(storage->prepared().prepare("t", {"a"}, {change}) != CommitResult::Done);
    CHECK_FALSE(storage->prepared().isPrepared("t"));
    CHECK(rowsIn(*storage) == 4);
}
