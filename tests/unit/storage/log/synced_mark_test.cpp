#include "storage/log/synced_mark.h"

#include <catch2/catch.hpp>

#include "tests/support/faulty_file_system.h"

using namespace pelorus;
using format::WalPosition;

TEST_CASE("the last mark that was written is read, also by the next process") {
    FaultyFileSystem files;
    CHECK(SyncedMark::read(files, "/wal") == WalPosition{});
    {
        SyncedMark mark(files, "/wal");
        CHECK(SyncedMark::read(files, "/wal") == WalPosition{});
        mark.write({3, 100});
        mark.write({3, 250});
    }
    CHECK(SyncedMark::read(files, "/wal") == WalPosition{3, 250});
    SyncedMark again(files, "/wal");
    CHECK(SyncedMark::read(files, "/wal") == WalPosition{3, 250});
    again.write({4, 40});
    CHECK(SyncedMark::read(files, "/wal") == WalPosition{4, 40});
}

TEST_CASE("after the power went a mark says what was once true, or nothing") {
    for (uint64_t seed = 0; seed < 40; ++seed) {
        FaultyFileSystem files;
        {
            SyncedMark mark(files, "/wal");
            mark.write({1, 10});
            mark.sync();
            mark.write({2, 20});
        }
        files.losePower(seed);
        const WalPosition read = SyncedMark::read(files, "/wal");
        INFO(seed);
        CHECK((read == WalPosition{} || read == WalPosition{1, 10} || read == WalPosition{2, 20}));
    }
}

TEST_CASE("a mark that is damaged or cut off says nothing, and is made anew") {
    FaultyFileSystem files;
    SyncedMark(files, "/wal").write({3, 100});
    const std::string path = "/wal/" + std::string(format::kSyncedMarkName);
    for (size_t at = 0; at < files.sizeOf(path); ++at) {
        files.flipBit(path, at, 2);
        CHECK(SyncedMark::read(files, "/wal") == WalPosition{});
        files.flipBit(path, at, 2);
    }
    files.openForAppend(path)->truncate(7);
    CHECK(SyncedMark::read(files, "/wal") == WalPosition{});
    SyncedMark(files, "/wal").write({5, 50});
    CHECK(SyncedMark::read(files, "/wal") == WalPosition{5, 50});
}

TEST_CASE("a disk that refuses the mark stops nobody, and the mark before stays true") {
    FaultyFileSystem files;
    SyncedMark mark(files, "/wal");
    mark.write({1, 10});
    files.failSyncs(true);
    mark.sync();
    files.failSyncs(false);
    mark.sync();
    files.losePower(1);
    CHECK(SyncedMark::read(files, "/wal") == WalPosition{1, 10});
}
