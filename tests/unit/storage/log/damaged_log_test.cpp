// A log that is damaged below its synced position is refused, wherever the damage is; an unsynced end may be cut off.
// PELORUS_FLIP_STEP sets the distance in bytes between two that are damaged (default 7; 1 is all of them).
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <random>

#include "common/error.h"
#include "common/io/crc32c.h"
#include "storage/commit/commit_path.h"
#include "storage/folder/maintenance.h"
#include "storage/log/wal_reader.h"
#include "tests/support/two_tables.h"

using namespace pelorus;

namespace {

const StorageOptions kPlain = {.maintenance = false};  // no key: opening is quicker

size_t flipStep() {
    const char* given = std::getenv("PELORUS_FLIP_STEP");
    return given != nullptr ? static_cast<size_t>(std::atoi(given)) : 7;
}

using Contents = std::vector<std::vector<int64_t>>;

Contents contents(FaultyFileSystem& files) {
    const TwoTables tables(files, kPlain);
    return {sortedIds(*tables.table("a")), sortedIds(*tables.table("b"))};
}

// Three log files: the first two ended in order, the last one killed or ended as asked for. No checkpoint, so that all
// of them count.
std::unique_ptr<FaultyFileSystem> diskWithLogs(bool killed) {
    auto files = std::make_unique<FaultyFileSystem>();
    for (int life = 0; life < 3; ++life) {
        TwoTables tables(*files, kPlain);
        for (int i = 0; i < 3; ++i) tables.append((life * 3 + i) * 10, 10);
        if (life == 2 && killed) files->endProcess();
    }
    return files;
}

std::string logPath(uint64_t number) {
    return "/data/wal/" + format::numberedName(number, ".wal");
}

// Opens a copy of the disk that `damage` was done to. What is found is all, or a refusal that names the log, changes
// nothing, and is gone when `repair` has put the file back.
enum class Found { All, Refused };
Found openDamaged(FaultyFileSystem& disk, const Contents& expected,
                  const std::function<void(FaultyFileSystem&)>& damage,
                  const std::function<void(FaultyFileSystem&)>& repair) {
    const auto files = disk.clone();
    damage(*files);
    try {
        const Contents found = contents(*files);
        REQUIRE(found == expected);
        return Found::All;
    } catch (const SystemError& error) {
        CHECK_THAT(error.what(), Catch::Contains("/data/wal/"));
        CHECK_THAT(error.what(), Catch::Contains("damaged at byte") || Catch::Contains("is missing"));
        CHECK_THAT(error.hint(), Catch::Contains("copy of the folder"));
    }
    repair(*files);
    REQUIRE(contents(*files) == expected);
    return Found::Refused;
}

}  // namespace

TEST_CASE("any flipped bit of any log gives all rows or a refusal that changes nothing") {
    for (const bool killed : {false, true}) {
        const auto disk = diskWithLogs(killed);
        const Contents expected = contents(*disk->clone());
        REQUIRE(expected[0] == idsFrom(0, 90));
        std::mt19937_64 random(7);
        int refused = 0;
        for (uint64_t log = 1; log <= 3; ++log) {
            for (size_t at = random() % flipStep(); at < disk->sizeOf(logPath(log)); at += flipStep()) {
                const int bit = static_cast<int>(random() % 8);
                CAPTURE(killed, log, at, bit);
                const auto flip = [&](FaultyFileSystem& files) { files.flipBit(logPath(log), at, bit); };
                refused += openDamaged(*disk, expected, flip, flip) == Found::Refused;
            }
        }
        REQUIRE(refused > 100);  // or nothing was tested
    }
}

TEST_CASE("a log that was cut off at any byte, or overwritten with zeros from there, is refused") {
    for (const bool killed : {false, true}) {
        const auto disk = diskWithLogs(killed);
        const Contents expected = contents(*disk->clone());
        for (uint64_t log = 1; log <= 3; ++log) {
            const std::string whole = readWholeFile(*disk, logPath(log));
            for (size_t at = 0; at < whole.size(); at += 3 * flipStep()) {
                CAPTURE(killed, log, at);
                for (const bool zeros : {false, true}) {
                    std::string damaged = whole.substr(0, at);
                    if (zeros) damaged.resize(whole.size(), '\0');
                    const auto write = [&](FaultyFileSystem& files, const std::string& bytes) {
                        const auto file = files.create(logPath(log));
                        file->append(bytes);
                        file->sync();
                    };
                    openDamaged(
                        *disk, expected, [&](auto& files) { write(files, damaged); },
                        [&](auto& files) { write(files, whole); });
                }
            }
        }
    }
}

TEST_CASE("a missing file of the log is refused, the first, one between and the last") {
    for (const bool checkpointed : {false, true}) {
        const auto disk = diskWithLogs(true);
        if (checkpointed) {
            {
                const TwoTables tables(*disk, kPlain);
                tables.storage->maintenance().checkpoint();
                tables.append(1000, 10);
            }
            for (int life = 0; life < 2; ++life) TwoTables(*disk, kPlain).append(2000 + life * 10, 10);
        }
        const Contents expected = contents(*disk->clone());
        int refused = 0;
        for (const std::string& name : disk->list("/data/wal")) {
            if (!name.ends_with(".wal")) continue;
            const std::string path = "/data/wal/" + name, whole = readWholeFile(*disk, path);
            CAPTURE(name);
            refused += openDamaged(
                           *disk, expected, [&](auto& files) { files.remove(path); },
                           [&](auto& files) { files.create(path)->append(whole); }) == Found::Refused;
        }
        REQUIRE(refused >= 3);
    }
    // With a large commit in a column file the log cannot have been empty.
    FaultyFileSystem files;
    {
        const TwoTables tables(files, kPlain);
        tables.append(0, 70000);
    }
    for (const std::string& name : files.list("/data/wal")) files.remove("/data/wal/" + name);
    const std::vector<std::string> segments = files.list("/data/segments");
    REQUIRE_THROWS_WITH(contents(files), Catch::Contains("is missing"));
    REQUIRE(files.list("/data/segments") == segments);
}

// Column files that a replayed record replaced stay until the whole log has been read: a refusal changes nothing.
TEST_CASE("a refusal leaves the column files that the log replaced before the damage") {
    FaultyFileSystem files;
    {
        const TwoTables tables(files, kPlain);
        tables.append(0, 70000);
        const auto early = files.clone();
        for (const char* name : {"a", "b"}) tables.storage->commits().removeRows(tables.table(name)->entry().id, true);
        for (int i = 0; i < 5; ++i) tables.append(100000 + 10 * i, 10);
        files.endProcess();
    }
    {
        // A column file that a reader kept when the process ended.
        const auto file = files.create("/data/segments/00000000000000ff.seg");
        file->append("x");
        file->sync();
    }
    const std::vector<std::string> segments = files.list("/data/segments");
    files.flipBit(logPath(1), files.sizeOf(logPath(1)) - 20, 3);
    REQUIRE_THROWS_WITH(contents(files), Catch::Contains("damaged"));
    REQUIRE(files.list("/data/segments") == segments);
    files.flipBit(logPath(1), files.sizeOf(logPath(1)) - 20, 3);
    REQUIRE(contents(files)[0] == idsFrom(100000, 50));
}

TEST_CASE("bytes behind what was synced are cut off, whatever they are") {
    const auto disk = diskWithLogs(true);
    const Contents expected = contents(*disk->clone());
    std::mt19937_64 random(3);
    for (int i = 0; i < 30; ++i) {
        const auto files = disk->clone();
        std::string rest(random() % 3000, '\0');
        if (i % 3 > 0) std::generate(rest.begin(), rest.end(), [&] { return static_cast<char>(random()); });
        if (i % 3 > 1) rest = readWholeFile(*files, logPath(2)).substr(40);  // records of another file
        files->openForAppend(logPath(3))->append(rest);
        REQUIRE(contents(*files) == expected);
        REQUIRE(contents(*files) == expected);
    }
}

// Without the file SYNCED nothing says how far the last batch before a kill was synced: it is taken for a torn end. All
// before it is still known.
TEST_CASE("a damaged or missing mark makes nothing unreadable") {
    const auto disk = diskWithLogs(true);
    const Contents expected = contents(*disk->clone());
    const std::string mark = "/data/wal/SYNCED";
    for (size_t at = 0; at < disk->sizeOf(mark); ++at) {
        const auto files = disk->clone();
        files->flipBit(mark, at, 2);
        REQUIRE(contents(*files) == expected);
    }
    disk->remove(mark);
    REQUIRE(contents(*disk->clone()) == expected);
    disk->flipBit(logPath(3), disk->sizeOf(logPath(3)) / 2, 1);
    REQUIRE_THROWS_WITH(contents(*disk), Catch::Contains("damaged"));
}

// Logs of the first format: the same records without salt and marks.
TEST_CASE("logs of the first format are read, and go on in the newer one") {
    const auto disk = diskWithLogs(false);
    const Contents expected = contents(*disk->clone());
    disk->remove("/data/wal/SYNCED");
    for (uint64_t log = 1; log <= 3; ++log) {
        std::string old(format::kFirstWalMagic);
        ByteWriter(old).fixed(log);
        WalReader reader(*disk, logPath(log), log);
        for (WalRecord record; reader.next(record);) {
            char head[9];
            std::memcpy(head, &record.number, 8);
            head[8] = static_cast<char>(record.kind);
            ByteWriter writer(old);
            writer.fixed(crc32c({head, sizeof head}, crc32c(record.payload)));
            writer.fixed(static_cast<uint32_t>(record.payload.size()));
            writer.raw(head, sizeof head);
            writer.raw(record.payload.data(), record.payload.size());
        }
        const auto file = disk->create(logPath(log));
        file->append(old);
        file->sync();
    }
    REQUIRE(contents(*disk->clone()) == expected);
    {
        const auto torn = disk->clone();
        const auto file = torn->openForAppend(logPath(3));
        file->append("torn");
        REQUIRE(contents(*torn) == expected);
        REQUIRE(contents(*torn) == expected);
    }
    for (const size_t at : {size_t{3}, size_t{10}, size_t{200}}) {
        const auto damaged = disk->clone();
        damaged->flipBit(logPath(2), at, 0);
        REQUIRE_THROWS_WITH(contents(*damaged), Catch::Contains("damaged"));
    }
    TwoTables(*disk, kPlain).append(5000, 10);
    REQUIRE(contents(*disk)[0].size() == expected[0].size() + 10);
}

TEST_CASE("when the next log file cannot be begun, commits go on and a kill or power loss leaves them whole") {
    using Fault = FaultyFileSystem::Fault;
    for (const Fault fault : {Fault::Room, Fault::Sync}) {
        for (int64_t n = 1; n < 12; ++n) {
            for (const bool power : {false, true}) {
                CAPTURE(static_cast<int>(fault), n, power);
                FaultyFileSystem files;
                std::vector<int64_t> acknowledged = idsFrom(0, 20), tried = acknowledged;
                {
                    const TwoTables tables(files, kPlain);
                    tables.append(0, 20);
                    files.breakAt(fault, n);
                    try {
                        tables.storage->maintenance().checkpoint();
                    } catch (const SystemError&) {
                    }
                    for (int i = 0; i < 3; ++i) {
                        const std::vector<int64_t> ids = idsFrom(100 + 10 * i, 10);
                        tried.insert(tried.end(), ids.begin(), ids.end());
                        try {
                            tables.append(ids[0], 10);
                            acknowledged.insert(acknowledged.end(), ids.begin(), ids.end());
                        } catch (const SystemError&) {
                            // It is not known whether it is there when its own sync failed.
                        }
                    }
                    if (power) {
                        files.losePower(static_cast<uint64_t>(n));
                    } else {
                        files.endProcess();
                    }
                }
                const Contents found = contents(files);
                REQUIRE(found[0] == found[1]);
                REQUIRE(std::includes(found[0].begin(), found[0].end(), acknowledged.begin(), acknowledged.end()));
                REQUIRE(std::includes(tried.begin(), tried.end(), found[0].begin(), found[0].end()));
                TwoTables(files, kPlain).append(500, 10);
                REQUIRE(contents(files)[1].size() == found[1].size() + 10);
            }
        }
    }
}

// The record of a commit that failed must not come back once its column file is gone.
TEST_CASE("after a failed commit with column files a power loss names no missing file") {
    int failed = 0;
    for (int64_t n = 1; n < 16; ++n) {
        for (uint64_t seed = 0; seed < 4; ++seed) {
            CAPTURE(n, seed);
            FaultyFileSystem files;
            {
                const TwoTables tables(files, kPlain);
                tables.append(0, 20);
                files.breakAt(FaultyFileSystem::Fault::Room, n);
                try {
                    tables.append(1000, 70000);
                } catch (const SystemError&) {
                    ++failed;
                }
                files.losePower(seed);
            }
            const Contents found = contents(files);
            REQUIRE(found[0] == found[1]);
            REQUIRE(found[0].size() >= 20);
        }
    }
    REQUIRE(failed > 4);
}
