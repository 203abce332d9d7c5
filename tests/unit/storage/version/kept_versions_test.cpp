// How long what a snapshot sees is kept: as long as somebody may ask for it, and no longer.
#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/commit/commit_path.h"
#include "storage/folder/maintenance.h"
#include "storage/segment/block_cache.h"
#include "storage/version/version_set.h"
#include "tests/support/two_tables.h"

using namespace pelorus;

namespace {

std::vector<uint64_t> chunkIds(const TwoTables& tables) {
    std::vector<uint64_t> ids;
    const auto chunks = tables.storage->versions().chunks(tables.table("a")->entry().id);
    for (const auto& chunk : *chunks) ids.push_back(chunk->id);
    return ids;
}

}  // namespace

TEST_CASE("after a restart and a checkpoint an older snapshot is refused, not empty") {
    for (const bool checkpointFirst : {false, true}) {
        FaultyFileSystem files;
        uint64_t number = 0;
        {
            const TwoTables tables(files);
            tables.append(0, 40);
            number = tables.table("a")->takeSnapshot()->number();
            tables.append(100, 40);
            if (checkpointFirst) tables.storage->maintenance().checkpoint();
        }
        const TwoTables tables(files);
        if (!checkpointFirst) tables.storage->maintenance().checkpoint();
        tables.append(200, 40);
        // A reader that used that number before the restart, here or for another node, is refused.
        REQUIRE_THROWS_WITH(tables.table("a")->takeSnapshot(number), Catch::Contains("no longer kept"));
        for (const uint64_t chunk : chunkIds(tables))
            REQUIRE_THROWS_WITH(tables.storage->versions().version(chunk, number), Catch::Contains("no longer kept"));
        REQUIRE_THROWS_WITH(tables.storage->versions().find(tables.table("a")->entry().id, "/nowhere", number),
                            Catch::Contains("no longer kept"));
        REQUIRE(sortedIds(*tables.table("a")).size() == 120);
    }
}

TEST_CASE("a snapshot shows what was dropped since, as long as it is held") {
    FaultyFileSystem files;
    const TwoTables tables(files);
    tables.append(0, 40);
    const auto before = tables.table("a")->takeSnapshot();
    const uint64_t table = tables.table("b")->entry().id;
    const auto path = (*tables.storage->versions().chunks(table))[0]->path;
    tables.storage->commits().removeChunks(table, {path});
    tables.append(100, 40);
    REQUIRE(columnItems(*tables.table("b"), 2, before->number()).size() == 40);
    tables.storage->commits().removeRows(table);
    REQUIRE(columnItems(*tables.table("b"), 2, before->number()).size() == 40);
    REQUIRE(columnItems(*tables.table("b"), 2).empty());
    tables.append(200, 40);
    REQUIRE(columnItems(*tables.table("b"), 2, before->number()).size() == 40);
    REQUIRE(columnItems(*tables.table("b"), 2).size() == 40);
}

TEST_CASE("what a flush has written out leaves the memory at once, or with the last reader") {
    FaultyFileSystem files;
    const TwoTables tables(files);
    tables.append(0, 400);
    const VersionSet& versions = tables.storage->versions();
    std::vector<std::weak_ptr<const ChunkVersion>> before;
    const auto take = [&] {
        before.clear();
        for (const uint64_t chunk : chunkIds(tables)) before.push_back(versions.newest(chunk));
        REQUIRE(before.size() == 8);
    };
    const auto gone = [&] {
        return std::all_of(before.begin(), before.end(), [](const auto& version) { return version.expired(); });
    };
    take();
    tables.storage->maintenance().flush();
    REQUIRE(gone());

    tables.append(1000, 400);
    auto first = tables.table("a")->takeSnapshot(), second = tables.table("a")->takeSnapshot();
    take();
    tables.storage->maintenance().flush();
    REQUIRE_FALSE(gone());
    REQUIRE(sortedIds(*tables.table("a")).size() == 800);
    first.reset();
    REQUIRE_FALSE(gone());
    REQUIRE(columnItems(*tables.table("b"), 2, second->number()).size() == 800);
    second.reset();
    REQUIRE(gone());
}

TEST_CASE("a column file that a compaction replaced goes without another commit to its chunk") {
    FaultyFileSystem files;
    const TwoTables tables(files);
    for (int i = 0; i < 10; ++i) {
        tables.append(i * 100, 100);
        tables.storage->maintenance().flush();
    }
    REQUIRE(files.list("/data/segments").size() == 10);
    auto reader = tables.table("a")->takeSnapshot();
    tables.storage->maintenance().compact();
    REQUIRE(files.list("/data/segments").size() > 10);
    REQUIRE(columnItems(*tables.table("a"), 2, reader->number()).size() == 1000);
    reader.reset();
    REQUIRE(files.list("/data/segments").size() == 16);  // one for each chunk
    tables.storage->commits().removeRows(tables.table("a")->entry().id);
    REQUIRE(files.list("/data/segments").size() == 8);
}

TEST_CASE("cached blocks of what was dropped, truncated or compacted are freed with it") {
    for (const std::string engine : {"OLAP", "TSDB"}) {
        FaultyFileSystem files;
        const TwoTables tables(files, kNoMaintenance, engine);
        LocalStorage& storage = *tables.storage;
        const auto fill = [&] {
            for (int i = 0; i < 9; ++i) {
                tables.append(i * 100, 100);
                storage.maintenance().flush();
            }
            // The second reading of a block keeps it.
            for (int i = 0; i < 3; ++i) {
                for (const char* name : {"a", "b"}) columnItems(*tables.table(name), 2);
            }
            REQUIRE(storage.blocks().usedBytes() > 0);
        };
        fill();
        storage.maintenance().compact();
        REQUIRE(storage.blocks().usedBytes() == 0);
        fill();
        for (const char* name : {"a", "b"})
            storage.commits().removeRows(tables.table(name)->entry().id, name[0] == 'a');
        REQUIRE(storage.blocks().usedBytes() == 0);
    }
}
