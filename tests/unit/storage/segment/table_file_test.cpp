#include "storage/segment/table_file.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

TEST_CASE("a table comes back from its file, with rows and without") {
    FaultyFileSystem files;
    writeTableFile(files, "/t.tbl", *trades(0, 100));
    const Ref<MemoryTable> back = readTableFile(files, "/t.tbl");
    REQUIRE(back->rowCount() == 100);
    CHECK(back->column(0).at(1).string() == "XOM");
    CHECK(back->column(2).at(99).integer() == 99);
    writeTableFile(files, "/t.tbl", *MemoryTable::empty(kTradeSchema));
    const Ref<MemoryTable> none = readTableFile(files, "/t.tbl");
    CHECK(none->rowCount() == 0);
    REQUIRE(none->columnCount() == 4);
    CHECK(none->columns()[1].type == Type::Date);
}

TEST_CASE("a file is replaced as a whole: after a crash it is the old one or the new one") {
    FaultyFileSystem files;
    files.makeFolder("/d");
    writeTableFile(files, "/d/t.tbl", *trades(0, 3));
    for (uint64_t seed = 0; seed < 8; ++seed) {
        const auto disk = files.clone();
        disk->breakAt(FaultyFileSystem::Fault::Room, static_cast<int64_t>(seed) / 2);
        try {
            writeTableFile(*disk, "/d/t.tbl", *trades(0, 5));
        } catch (const SystemError&) {
        }
        disk->losePower(seed);
        const int64_t rows = readTableFile(*disk, "/d/t.tbl")->rowCount();
        CHECK((rows == 3 || rows == 5));
    }
}

TEST_CASE("a file that is cut off or damaged is told by its path") {
    FaultyFileSystem files;
    writeTableFile(files, "/t.tbl", *trades(0, 50));
    const size_t size = files.sizeOf("/t.tbl");
    for (const size_t length : {size_t{0}, size_t{7}, size / 2, size - 1}) {
        const auto disk = files.clone();
        disk->openForAppend("/t.tbl")->truncate(static_cast<int64_t>(length));
        INFO(length);
        CHECK_THROWS_WITH(readTableFile(*disk, "/t.tbl"), Catch::Contains("/t.tbl"));
    }
    for (size_t at = 0; at < size; at += 5) {
        const auto disk = files.clone();
        disk->flipBit("/t.tbl", at, 3);
        INFO(at);
        CHECK_THROWS_AS(readTableFile(*disk, "/t.tbl"), SystemError);
    }
    CHECK_THROWS_AS(readTableFile(files, "/none.tbl"), SystemError);
}
