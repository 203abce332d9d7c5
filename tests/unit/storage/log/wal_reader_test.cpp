#include "storage/log/wal_reader.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/log/wal_writer.h"
#include "tests/support/faulty_file_system.h"

using namespace pelorus;
using format::WalPosition;

namespace {

const std::string kPath = "/wal/" + format::numberedName(3, ".wal");

// A log of three records.
void writeLog(FaultyFileSystem& files) {
    WalWriter writer(files, "/wal", 3, 10, true, 77);
    writer.commit(format::RecordKind::Commit, "first", [](uint64_t) {});
    writer.commit(format::RecordKind::Prepare, "", [](uint64_t) {});
    writer.commit(format::RecordKind::Commit, std::string(5000, 'x'), [](uint64_t) {});
}

std::vector<std::string> recordsOf(WalReader& reader) {
    std::vector<std::string> records;
    for (WalRecord record; reader.next(record);)
        records.push_back(std::to_string(record.number) + " " + std::string(record.payload.substr(0, 5)));
    return records;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("records come in order with their numbers and kinds, and marks are no records") {
    FaultyFileSystem files;
    writeLog(files);
    WalReader reader(files, kPath, 3);
    CHECK(reader.header() == WalReader::Header::Whole);
    CHECK(reader.endOfFileBefore() == 77);
    CHECK(!reader.holdsRecords());
    WalRecord record;
    REQUIRE(reader.next(record));
    CHECK(record.number == 11);
    CHECK(record.kind == format::RecordKind::Commit);
    CHECK(record.payload == "first");
    CHECK(recordsOf(reader) == Strings{"12 ", "13 xxxxx"});
    CHECK(!reader.torn());
    CHECK(reader.goodBytes() == static_cast<int64_t>(files.sizeOf(kPath)));
    CHECK(reader.holdsRecords());
    // The last batch opened with a mark of what was synced before it.
    CHECK(reader.synced().file == 3);
    CHECK(reader.synced().offset < reader.goodBytes());
}

TEST_CASE("reading stops before a record that is damaged or cut off, and marks behind it are found") {
    FaultyFileSystem files;
    writeLog(files);
    WalPosition whole;
    {
        WalReader reader(files, kPath, 3);
        recordsOf(reader);
        whole = reader.synced();
    }
    files.flipBit(kPath, static_cast<size_t>(format::kWalHeaderBytes) + 60, 1);
    WalReader damaged(files, kPath, 3);
    CHECK(recordsOf(damaged).size() < 3);
    CHECK(damaged.torn());
    CHECK(damaged.synced() < whole);
    CHECK(damaged.syncedWithRest() == whole);
    WalRecord record;
    CHECK(!damaged.next(record));
}

TEST_CASE("wherever a log is cut its first records are read and no others") {
    FaultyFileSystem files;
    writeLog(files);
    const size_t size = files.sizeOf(kPath);
    size_t most = 0;
    for (size_t length = static_cast<size_t>(format::kWalHeaderBytes) + 1; length < size; length += 13) {
        const auto disk = files.clone();
        disk->openForAppend(kPath)->truncate(static_cast<int64_t>(length));
        WalReader reader(*disk, kPath, 3);
        const Strings records = recordsOf(reader);
        CHECK(records.size() >= most);
        most = records.size();
        CHECK(reader.goodBytes() <= static_cast<int64_t>(length));
    }
    CHECK(most == 2);
}

TEST_CASE("a header that was cut off holds nothing, and one that is damaged in a longer file is damage") {
    FaultyFileSystem files;
    writeLog(files);
    const auto headerOf = [&](size_t length, int flipped) {
        const auto disk = files.clone();
        disk->openForAppend(kPath)->truncate(static_cast<int64_t>(length));
        if (flipped >= 0) disk->flipBit(kPath, static_cast<size_t>(flipped), 0);
        return WalReader(*disk, kPath, 3).header();
    };
    CHECK(headerOf(0, -1) == WalReader::Header::Unfinished);
    CHECK(headerOf(31, -1) == WalReader::Header::Unfinished);
    CHECK(headerOf(32, -1) == WalReader::Header::Whole);
    CHECK(headerOf(32, 20) == WalReader::Header::Unfinished);
    for (int at = 0; at < 32; ++at) CHECK(headerOf(200, at) == WalReader::Header::Damaged);
    // The file of another number.
    CHECK(WalReader(files, kPath, 4).header() == WalReader::Header::Damaged);
    CHECK_THROWS_AS(WalReader(files, "/wal/none", 1), SystemError);
}
