#include "storage/folder/quarantine.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "storage/commit/commit_path.h"
#include "storage/segment/table_file.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

std::vector<std::shared_ptr<const ChunkIdentity>> chunksOf(const LocalStorage& storage) {
    const auto chunks = storage.versions().chunks(1);
    return {chunks->begin(), chunks->end()};
}

}  // namespace

TEST_CASE("rows that go to quarantine can be read there, and are gone from the table") {
    StorageFixture fixture;
    fixture.storage->commits().append({idRows(1, "/a", 0, 0, 5), idRows(1, "/b", 1, 100, 2)});
    quarantineChunks(*fixture.storage, FileSystem::posix(), chunksOf(*fixture.storage), "nobody knows them");
    CHECK(chunksOf(*fixture.storage).empty());
    const auto found = quarantined(*fixture.storage, FileSystem::posix());
    REQUIRE(found.size() == 2);
    int64_t rows = 0;
    for (const QuarantinedRows& one : found) {
        CHECK(one.table == 1);
        CHECK(one.reason == "nobody knows them");
        CHECK(one.rows == (one.path == "/a" ? 5 : 2));
        rows += readTableFile(FileSystem::posix(), quarantineFolder(*fixture.storage) + "/" + one.name + ".tbl")
                    ->rowCount();
    }
    CHECK(rows == 7);
    fixture.reopen();
    CHECK(chunksOf(*fixture.storage).empty());
    CHECK(quarantined(*fixture.storage, FileSystem::posix()).size() == 2);
}

TEST_CASE("names go on from those that are there, whatever else is in the folder") {
    StorageFixture fixture;
    const std::string folder = quarantineFolder(*fixture.storage);
    CHECK(quarantined(*fixture.storage, FileSystem::posix()).empty());
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/000041.tbl") << "x";
    std::ofstream(folder + "/notes.json") << "no notes";
    fixture.storage->commits().append({idRows(1, "/a", 0, 0, 5)});
    quarantineChunks(*fixture.storage, FileSystem::posix(), chunksOf(*fixture.storage), "");
    const auto found = quarantined(*fixture.storage, FileSystem::posix());
    REQUIRE(found.size() == 1);
    CHECK(found[0].name == "000042");
}

TEST_CASE("nothing is made where there is nothing to put aside") {
    StorageFixture fixture;
    quarantineChunks(*fixture.storage, FileSystem::posix(), {}, "why");
    CHECK(!std::filesystem::exists(quarantineFolder(*fixture.storage)));
}
