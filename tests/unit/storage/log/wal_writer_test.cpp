#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "storage/log/wal_reader.h"
#include "storage/log/wal_writer.h"
#include "tests/support/faulty_file_system.h"

using namespace pelorus;

namespace {

std::string logPath(uint64_t number) {
    return "/wal/" + format::numberedName(number, ".wal");
}

std::vector<std::string> recordsOf(FaultyFileSystem& files, uint64_t number) {
    std::vector<std::string> records;
    WalReader reader(files, logPath(number), number);
    WalRecord record;
    while (reader.next(record)) records.emplace_back(record.payload);
    return records;
}

}  // namespace

TEST_CASE("commits that wait for a sync share the next one, and are installed in the order of their numbers") {
    FaultyFileSystem files;
    WalWriter writer(files, "/wal", 1, 0, true);
    const int64_t before = files.syncs();
    std::vector<uint64_t> installed;  // by one thread at a time
    const auto commit = [&] {
        writer.commit(format::RecordKind::Commit, "record", [&](uint64_t number) { installed.push_back(number); });
    };
    files.holdSyncs(true);
    std::vector<std::thread> threads;
    threads.emplace_back(commit);
    // The first one is in its sync when nobody waits any more; then fifteen more queue up after it.
    while (static_cast<int64_t>(files.sizeOf(logPath(1))) <= format::kWalHeaderBytes) std::this_thread::yield();
    for (int i = 0; i < 15; ++i) threads.emplace_back(commit);
    while (writer.waiting() < 15) std::this_thread::yield();
    files.holdSyncs(false);
    for (std::thread& thread : threads) thread.join();
    REQUIRE(files.syncs() - before == 2);
    std::vector<uint64_t> expected;
    for (uint64_t i = 1; i <= 16; ++i) expected.push_back(i);
    REQUIRE(installed == expected);
    REQUIRE(recordsOf(files, 1).size() == 16);
}

TEST_CASE("a torn last record is dropped and the rest kept") {
    FaultyFileSystem files;
    {
        WalWriter writer(files, "/wal", 1, 0, true);
        writer.commit(format::RecordKind::Commit, "first", [](uint64_t) {});
        writer.commit(format::RecordKind::Commit, "second", [](uint64_t) {});
    }
    const auto file = files.openForAppend(logPath(1));
    file->truncate(file->size() - 3);
    REQUIRE(recordsOf(files, 1) == std::vector<std::string>{"first"});
    file->append("abc");
    REQUIRE(recordsOf(files, 1) == std::vector<std::string>{"first"});
}

TEST_CASE("a new file begins where the old one ends, and numbers go on") {
    FaultyFileSystem files;
    WalWriter writer(files, "/wal", 7, 40, true);
    REQUIRE(writer.commit(format::RecordKind::Commit, "a", [](uint64_t) {}) == 41);
    uint64_t border = 0;
    writer.startNewFile([&](uint64_t fileNumber) { border = fileNumber; });
    REQUIRE(border == 8);
    REQUIRE(writer.commit(
                format::RecordKind::Commit, "b", [](uint64_t) {}, 100) == 100);
    writer.numberFrom(201);
    REQUIRE(writer.commit(format::RecordKind::Commit, "c", [](uint64_t) {}) == 201);
    REQUIRE(recordsOf(files, 7) == std::vector<std::string>{"a"});
    REQUIRE(recordsOf(files, 8) == std::vector<std::string>{"b", "c"});
}

namespace {

// A transaction that notes what it is told.
class NotedPlacement final : public WalWriter::Placement {
public:
    explicit NotedPlacement(const WalWriter& writer) : writer_(writer) {}
    void place(uint64_t number) noexcept override {
        placed = number;
        isSyncedWhenPlaced = writer_.syncedNumber() >= number;
    }
    void withdraw() noexcept override {
        isWithdrawn = true;
        isSoundWhenWithdrawn = writer_.isSound();
    }

    uint64_t placed = 0;
    bool isSyncedWhenPlaced = false, isWithdrawn = false, isSoundWhenWithdrawn = false;

private:
    const WalWriter& writer_;
};

}  // namespace

TEST_CASE("a transaction over rows is placed between the write and the sync, and then installed") {
    FaultyFileSystem files;
    WalWriter writer(files, "/wal", 1, 0, true);
    NotedPlacement placement(writer);
    bool isPlacedWhenInstalled = false;
    const uint64_t number = writer.commit(
        format::RecordKind::Commit, "rows", [&](uint64_t n) { isPlacedWhenInstalled = placement.placed == n; }, 0,
        WalWriter::Sync::AsSet, &placement);
    CHECK(placement.placed == number);
    CHECK(isPlacedWhenInstalled);
    CHECK_FALSE(placement.isSyncedWhenPlaced);
    CHECK_FALSE(placement.isWithdrawn);
}

TEST_CASE("a placed transaction is withdrawn by a failed sync, and none is placed by a failed write") {
    FaultyFileSystem files;
    WalWriter writer(files, "/wal", 1, 0, true);
    NotedPlacement unwritten(writer), unsynced(writer);
    const auto commit = [&](NotedPlacement& placement) {
        writer.commit(
            format::RecordKind::Commit, std::string(100, 'x'), [](uint64_t) {}, 0, WalWriter::Sync::AsSet, &placement);
    };
    files.setFreeBytes(0);
    CHECK_THROWS_AS(commit(unwritten), SystemError);
    CHECK(unwritten.placed == 0);
    files.setFreeBytes(INT64_MAX);
    files.failSyncs(true);
    CHECK_THROWS_AS(commit(unsynced), SystemError);
    CHECK(unsynced.placed > 0);
    CHECK(unsynced.isWithdrawn);
    // Until it is withdrawn nobody begins the log anew, so nobody commits on its basis.
    CHECK(unsynced.isSoundWhenWithdrawn);
    CHECK_FALSE(writer.isSound());
}
