#include "storage/commit/staged_batch.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "storage/commit/commit_path.h"
#include "storage/commit/storage_parts.h"
#include "storage/encryption/encryption_keys.h"
#include "storage/folder/local_storage.h"
#include "storage/log/wal_writer.h"
#include "storage/version/version_set.h"
#include "tests/support/two_tables.h"

using namespace pelorus;

namespace {

constexpr int64_t kLargeRows = 70'000;  // a commit of so many rows puts them into a column file

ChunkRows rowsOf(const std::string& path, int64_t count) {
    return {1, path, {0}, trades(0, count)};
}

// The parts of a new folder's storage, as far as a batch that is not committed needs them.
struct Parts {
    Parts() : parts("/data", files, kNoMaintenance, FolderLock(files, "/data"), [](std::vector<Edit>) { return 0; }) {
        for (const char* name : {"wal", "segments"}) files.makeFolder(joinPath("/data", name));
        parts.log = std::make_unique<WalWriter>(files, parts.logFolder, 1, 0, true);
    }
    size_t columnFiles() { return files.list("/data/segments").size(); }

    FaultyFileSystem files;
    StorageParts parts;
};

}  // namespace

TEST_CASE("rows of a small batch are in its edits, and those of a large one in a column file") {
    Parts folder;
    const WriteBatch small{rowsOf("/a", 10), rowsOf("/b", 0)}, large{rowsOf("/a", kLargeRows)};
    StagedBatch few(folder.parts, small);
    CHECK(folder.columnFiles() == 0);
    REQUIRE(few.edits().size() == 2);  // the chunk is made, and its rows are added; no rows need no chunk
    CHECK(few.edits()[0].kind == format::EditKind::ChunkCreated);
    CHECK(few.edits()[1].rows->rowCount() == 10);
    StagedBatch many(folder.parts, large);
    CHECK(folder.columnFiles() == 1);
    CHECK(many.edits().back().kind == format::EditKind::SegmentAdded);
    CHECK_FALSE(many.edits().back().rows);
}

TEST_CASE("the column file of a batch goes with it, unless the batch was committed") {
    Parts folder;
    const WriteBatch batch{rowsOf("/a", kLargeRows)};
    { StagedBatch refused(folder.parts, batch); }
    CHECK(folder.columnFiles() == 0);
    {
        StagedBatch committed(folder.parts, batch);
        committed.keep();
    }
    CHECK(folder.columnFiles() == 1);
}

TEST_CASE("a batch names each of its chunks once, in ascending order") {
    Parts folder;
    const WriteBatch batch{rowsOf("/c", 1), rowsOf("/a", 1), rowsOf("/c", 2), rowsOf("/b", 0)};
    StagedBatch staged(folder.parts, batch);
    staged.addId("an id");
    const std::vector<uint64_t> chunks = staged.chunks();
    CHECK(chunks.size() == 2);
    CHECK(std::is_sorted(chunks.begin(), chunks.end()));
    const WriteBatch nothing{rowsOf("/d", 0)};
    CHECK(StagedBatch(folder.parts, nothing).isEmpty());
}

TEST_CASE("rows that a copy has replaced were moved, and rows that somebody changed were changed") {
    enum class By { CopyOfTheSame, CopyOfLater, Change };
    const By by = GENERATE(By::CopyOfTheSame, By::CopyOfLater, By::Change);
    FaultyFileSystem files;
    const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
    const uint64_t last = storage->commits().append({rowsOf("/a", 10)});
    const VersionSet::Pin seen(storage->versions(), 0);
    const uint64_t changedAt = by == By::Change ? 0 : by == By::CopyOfLater ? seen.number() + 1000 : last;
    REQUIRE(storage->commits().replace({rowsOf("/a", 10)}, seen.number(), changedAt));
    ChunkRows change = rowsOf("/a", 3);
    change.replaces = ChunkRows::Replaces::Seen;
    change.seenAt = seen.number();
    const CommitResult expected = by == By::CopyOfTheSame ? CommitResult::RowsMoved : CommitResult::RowsChanged;
    CHECK(storage->commits().appendIf([] { return true; }, {change}) == expected);
    CHECK(storage->versions().newest(storage->versions().find(1, "/a"))->rowCount == 10);
}
