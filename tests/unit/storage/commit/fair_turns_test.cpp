// Later callers do not overtake: an update waits for the appends that are under way, and for no other.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "storage/commit/commit_path.h"
#include "storage/commit/write_batch.h"
#include "storage/table/local_table.h"
#include "storage/version/version_set.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

constexpr uint64_t kTable = 1;
constexpr int kWriters = 12;

ChunkRows rowsOf(int64_t first, int64_t count) {
    return idRows(kTable, "/chunk", 0, first, count);
}

}  // namespace

TEST_CASE("no append that comes while an update waits gets ahead of it") {
    FaultyFileSystem files;
    const auto storage = LocalStorage::open("/data", files, {.maintenance = false});
    storage->commits().append({rowsOf(0, 100)});
    std::atomic<bool> stop{false};
    std::atomic<int64_t> appends{0};
    for (int round = 0; round < 5; ++round) {
        const VersionSet::Pin seen(storage->versions(), 0);
        stop = false;
        // One writes and waits for the disk, the others wait for it: as many as there are have passed the gate.
        files.holdSyncs(true, "/data/wal");
        std::vector<std::thread> writers;
        for (int w = 0; w < kWriters; ++w) {
            writers.emplace_back([&] {
                for (; !stop; ++appends) storage->commits().append({rowsOf(1000, 1)});
            });
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const uint64_t before = storage->versions().visible();
        // From here on all versions stay, so that the update's own is found.
        const VersionSet::Pin kept(storage->versions(), 0);
        const uint64_t chunk = storage->versions().find(kTable, "/chunk");
        const uint64_t generation = storage->versions().newest(chunk)->generation;
        std::thread update([&] { REQUIRE(storage->commits().replace({rowsOf(0, 100)}, seen.number())); });
        std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until it waits
        files.holdSyncs(false);
        update.join();
        const int64_t later = appends;
        while (appends < later + kWriters) std::this_thread::yield();  // the writers go on after it
        stop = true;
        for (std::thread& writer : writers) writer.join();
        CAPTURE(round);
        uint64_t updated = before;
        while (storage->versions().version(chunk, updated)->generation == generation) ++updated;
        REQUIRE(updated - before <= kWriters + 1);
    }
}
