// After much work nothing is left behind: memory, pins and files are where they were.
//
//   PELORUS_SOAK_CHUNKS   chunks that go cold (default 1,000; 100,000 is the long form)
#include <catch2/catch.hpp>
#include <cstdlib>

#include "common/error.h"
#include "runtime/memory/budget.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/maintenance.h"
#include "storage/segment/block_cache.h"
#include "storage/version/version_set.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

int soakChunks() {
    const char* given = std::getenv("PELORUS_SOAK_CHUNKS");
    return given != nullptr ? std::atoi(given) : 1000;
}

// So many rows in each chunk; one commit.
std::vector<ChunkRows> coldRows(int chunks, int64_t rows) {
    std::vector<ChunkRows> all;
    const auto count = static_cast<size_t>(rows);
    for (int c = 0; c < chunks; ++c) {
        const Ref<MemoryTable> table = makeRef<MemoryTable>(
            std::vector<std::string>{"id", "price"}, std::vector<Value>{longVector(std::vector<int64_t>(count, c)),
                                                                        doubleVector(std::vector<double>(count, 1.5))});
        all.push_back({7, "/" + std::to_string(c), {c}, table});
    }
    return all;
}

}  // namespace

TEST_CASE("cold chunks take the same memory after a flush as after a restart, round after round") {
    const int chunks = soakChunks();
    constexpr int64_t kRows = 500;
    StorageFixture fixture({.maintenance = false});
    const std::string segments = fixture.folder.path() + "/data/segments";
    const auto used = [] { return memory::usedBytes(); };
    int64_t afterFirst = 0;
    for (int round = 0; round < 4; ++round) {
        CAPTURE(round);
        for (int commit = 0; commit < 3; ++commit) fixture.storage->commits().append(coldRows(chunks, kRows));
        {
            // A reader and a query that fails in the middle.
            const VersionSet::Pin pin(fixture.storage->versions(), 0);
            const auto list = fixture.storage->versions().chunks(7);
            for (const auto& chunk : *list) {
                const ChunkVersionRef version = fixture.storage->versions().version(chunk->id, pin.number());
                if (chunk->id % 3 == 0) makeChunkReader(version, {{"id", Type::Long}}, SortRule())->read(0, 0);
            }
            REQUIRE_THROWS_AS(fixture.storage->versions().version(1, 1), SystemError);
            fixture.storage->maintenance().flush();
        }
        const int64_t flushed = used();
        fixture.storage->maintenance().checkpoint();
        fixture.reopen();
        const int64_t reopened = used();
        // The rows alone took 24,000 bytes a chunk; what buffers keep for the next vectors stays, however many rounds.
        CHECK(flushed < reopened + int64_t{12000} * chunks);
        fixture.storage->commits().removeRows(7);
        CHECK(FileSystem::posix().list(segments).empty());
        CHECK(fixture.storage->versions().cachedBytes() == 0);
        CHECK(fixture.storage->blocks().usedBytes() == 0);
        if (round == 0) afterFirst = used();
        CHECK(used() < afterFirst + (2 << 20));
    }
}
