#include "storage/segment/segment_writer.h"

#include <catch2/catch.hpp>
#include <thread>

#include "common/error.h"
#include "storage/segment/block_cache.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

Ref<MemoryTable> rowsAt(FaultyFileSystem& files, const std::string& path, const SegmentLocation& location) {
    BlockCache cache(1 << 20);
    return Segment(std::make_shared<SegmentFile>(files, path, location.file), location, cache).readAll();
}

}  // namespace

TEST_CASE("segments that threads add at once lie one after the other and are whole each") {
    FaultyFileSystem files;
    files.makeFolder("/segments");
    SegmentFileWriter writer(files, "/segments", 7);
    std::vector<SegmentLocation> locations(8);
    std::vector<std::thread> threads;
    for (int64_t i = 0; i < 8; ++i)
        threads.emplace_back([&, i] { locations[static_cast<size_t>(i)] = writer.add(*trades(i * 100, i + 1)); });
    for (std::thread& thread : threads) thread.join();
    writer.finish();
    CHECK(writer.path() == "/segments/" + format::numberedName(7, ".seg"));
    std::map<uint64_t, uint64_t> ends;
    for (int64_t i = 0; i < 8; ++i) {
        const SegmentLocation& location = locations[static_cast<size_t>(i)];
        CHECK(location.file == 7);
        CHECK(location.rows == i + 1);
        ends[location.offset] = location.offset + location.sizeBytes;
        CHECK(rowsAt(files, writer.path(), location)->column(2).at(i).integer() == i * 100 + i);
    }
    uint64_t end = 0;
    for (const auto& [begin, next] : ends) {
        CHECK(begin >= end);
        end = next;
    }
    CHECK(end == files.sizeOf(writer.path()));
}

TEST_CASE("a file that was not finished is removed, and one that was is on the disk") {
    FaultyFileSystem files;
    files.makeFolder("/segments");
    {
        SegmentFileWriter writer(files, "/segments", 1);
        writer.add(*trades(0, 10));
    }
    CHECK(files.list("/segments").empty());
    SegmentLocation location;
    {
        SegmentFileWriter writer(files, "/segments", 2);
        location = writer.add(*trades(0, 10));
        writer.finish();
    }
    files.losePower(3);
    CHECK(rowsAt(files, "/segments/" + format::numberedName(2, ".seg"), location)->rowCount() == 10);
}

TEST_CASE("a full disk is an error, and nothing is left of the file") {
    FaultyFileSystem files;
    files.makeFolder("/segments");
    files.setFreeBytes(100);
    {
        SegmentFileWriter writer(files, "/segments", 1);
        CHECK_THROWS_AS((writer.add(*trades(0, 10'000)), writer.finish()), SystemError);
    }
    CHECK(files.list("/segments").empty());
}
