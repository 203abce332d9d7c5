#include "streaming/persistence/stored_positions.h"

#include <catch2/catch.hpp>

#include "storage/stream/stream_files.h"
#include "tests/support/two_tables.h"

using namespace pelorus;

TEST_CASE("a position is on disk after the rows before it, and not when those are refused") {
    FaultyFileSystem files;
    LocalStreamFolder folder(LocalStorage::open("/data", files, kNoMaintenance));
    StoredPositions positions;
    positions.set("t/a", {5, "ann"});
    REQUIRE(positions.get(folder, "t/a")->row == 5);
    REQUIRE_FALSE(folder.position("t/a"));
    REQUIRE_FALSE(positions.store(folder, [] { return false; }));
    REQUIRE_FALSE(folder.position("t/a"));
    // What is set while rows are written waits for the next time.
    REQUIRE(positions.store(folder, [&] {
        REQUIRE_FALSE(folder.position("t/a"));
        positions.set("t/a", {7, "ann"});
        return true;
    }));
    REQUIRE(folder.position("t/a")->row == 5);
    REQUIRE(positions.get(folder, "t/a")->row == 7);
    REQUIRE(positions.store(folder, [] { return true; }));
    REQUIRE(folder.position("t/a")->row == 7);
    REQUIRE_FALSE(positions.store(folder, [] { return true; }));
    positions.remove(folder, "t/a");
    REQUIRE_FALSE(positions.get(folder, "t/a"));
}
