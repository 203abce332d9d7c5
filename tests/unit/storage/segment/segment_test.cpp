#include "storage/segment/segment.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/segment/block_cache.h"
#include "storage/segment/segment_writer.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

// A segment of some rows, in a file of its own.
struct Written {
    explicit Written(const MemoryTable& rows) {
        const std::string bytes = encodeSegment(rows);
        files.create("/1.seg")->append("before" + bytes);
        location = {1, 6, bytes.size(), rows.rowCount()};
    }
    Segment segment() { return {std::make_shared<SegmentFile>(files, "/1.seg", 1), location, cache}; }

    FaultyFileSystem files;
    BlockCache cache{1 << 20};
    SegmentLocation location;
};

constexpr int64_t kRows = format::kBlockRows + 10;

}  // namespace

TEST_CASE("rows are read block by block, with bounds that hold for each") {
    Written written(*trades(1000, kRows));
    const Segment segment = written.segment();
    REQUIRE(segment.blockCount() == 2);
    CHECK(segment.blockRows(0) == format::kBlockRows);
    CHECK(segment.blockRows(1) == 10);
    CHECK(segment.columns().size() == 4);
    const Value ids = segment.read(1, 2);
    REQUIRE(ids.size() == 10);
    CHECK(ids.at(0).integer() == 1000 + format::kBlockRows);
    const BlockBounds bounds = segment.bounds(1, 2);
    CHECK(bounds.known);
    CHECK(bounds.min.integer() == 1000 + format::kBlockRows);
    CHECK(bounds.max.integer() == 1000 + kRows - 1);
    CHECK(bounds.nullCount == 0);
    CHECK(segment.bounds(0, 0).min.string() == "IBM");
    CHECK(segment.bounds(0, 0).max.string() == "XOM");
    CHECK(segment.readAll()->rowCount() == kRows);
    CHECK_NOTHROW(segment.verify());
    CHECK(segment.columnBytes(0) > 0);
    CHECK(segment.columnBytes(0) < segment.columnBytes(3));
}

TEST_CASE("damage anywhere is found, and told with the file") {
    Written written(*trades(0, 200));
    const size_t size = written.files.sizeOf("/1.seg");
    for (size_t at = 6; at < size; at += 3) {
        INFO(at);
        written.files.flipBit("/1.seg", at, static_cast<int>(at % 8));
        CHECK_THROWS_WITH(written.segment().verify(), Catch::Contains("/1.seg"));
        written.files.flipBit("/1.seg", at, static_cast<int>(at % 8));
    }
    CHECK_NOTHROW(written.segment().verify());
}

TEST_CASE("a damaged block is no hindrance to others") {
    Written written(*trades(0, 200));
    written.files.flipBit("/1.seg", 8, 0);  // in the first column
    const Segment segment = written.segment();
    CHECK_THROWS_AS(segment.readAll(), SystemError);
    CHECK(segment.read(0, 3).size() == 200);
}

TEST_CASE("a file goes with its last owner once it is retired, and not before") {
    Written written(*trades(0, 20));
    {
        auto file = std::make_shared<SegmentFile>(written.files, "/1.seg", 1);
        const Segment segment(file, written.location, written.cache);
        file->retire();
        file.reset();
        CHECK(segment.readAll()->rowCount() == 20);
        CHECK(written.files.exists("/1.seg"));
    }
    CHECK(!written.files.exists("/1.seg"));
}

TEST_CASE("a location is written and read") {
    const SegmentLocation location{300, 1 << 20, 77, 65'537};
    std::string bytes;
    ByteWriter writer(bytes);
    encodeLocation(location, writer);
    ByteReader reader(bytes);
    CHECK(decodeLocation(reader) == location);
    CHECK(reader.atEnd());
}
