#include "storage/segment/segment_directory.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

const TableSchema kSchema = {{"sym", Type::Symbol}, {"amount", Type::Decimal64, 3}};

std::vector<ColumnEntry> entries(int blocks) {
    std::vector<ColumnEntry> columns(2);
    columns[0].hasDictionary = true;
    columns[0].dictionary = {5, 6, 7};
    for (ColumnEntry& column : columns) {
        for (int b = 0; b < blocks; ++b) {
            BlockEntry& block = column.blocks.emplace_back();
            block.piece = {static_cast<uint64_t>(100 * b), 11, 12};
            block.nullCount = static_cast<uint32_t>(b);
            block.boundsKnown = b != 1;
            block.min = -b;
            block.max = block.boundsKnown ? 1000 + b : 0;
        }
    }
    return columns;
}

SegmentDirectory readBack(const std::string& segment, int64_t rows, CipherOf cipherOf = nullptr) {
    FaultyFileSystem files;
    files.create("/1.seg")->append(segment);
    const SegmentFile file(files, "/1.seg", 1, std::move(cipherOf));
    return readDirectory(file, {1, 0, segment.size(), rows});
}

constexpr int64_t kRows = 2 * format::kBlockRows + 1;

}  // namespace

TEST_CASE("a directory comes back with all its pieces and bounds") {
    std::string segment = "pieces";
    appendDirectory(kSchema, kRows, entries(3), nullptr, segment);
    const SegmentDirectory directory = readBack(segment, kRows);
    CHECK(!directory.cipher);
    REQUIRE(directory.columns.size() == 2);
    CHECK(directory.schema[1].scale == 3);
    CHECK(directory.columns[0].hasDictionary);
    CHECK(directory.columns[0].dictionary.sizeBytes == 6);
    CHECK(!directory.columns[1].hasDictionary);
    REQUIRE(directory.columns[1].blocks.size() == 3);
    const BlockEntry& last = directory.columns[1].blocks[2];
    CHECK(last.piece.offset == 200);
    CHECK(last.piece.checksum == 12);
    CHECK(last.nullCount == 2);
    CHECK(last.min == -2);
    CHECK(last.max == 1002);
    CHECK(!directory.columns[1].blocks[1].boundsKnown);
}

TEST_CASE("the blocks of a segment are full but for the last one") {
    CHECK(blocksOf(1) == 1);
    CHECK(blocksOf(format::kBlockRows) == 1);
    CHECK(blocksOf(format::kBlockRows + 1) == 2);
    CHECK(blocksOf(0) == 0);
}

TEST_CASE("a directory that is damaged, cut off, or of other rows is told by its place") {
    std::string segment;
    appendDirectory(kSchema, kRows, entries(3), nullptr, segment);
    for (size_t at = 0; at < segment.size(); ++at) {
        std::string damaged = segment;
        damaged[at] ^= 4;
        INFO(at);
        CHECK_THROWS_WITH(readBack(damaged, kRows), Catch::StartsWith("The segment at byte 0 of /1.seg is damaged"));
    }
    CHECK_THROWS_AS(readBack(segment, kRows - 1), SystemError);
    CHECK_THROWS_AS(readBack(segment.substr(1), kRows), SystemError);
    CHECK_THROWS_AS(readBack(segment.substr(segment.size() - 10), kRows), SystemError);
}

TEST_CASE("the directory of an encrypted table shows nothing, and opens with the key of the table that it names") {
    const auto cipher = std::make_shared<const TableCipher>(42, CipherMode::Aes256Ctr, std::string(32, 'k'));
    std::string segment;
    appendDirectory(kSchema, kRows, entries(3), cipher.get(), segment);
    CHECK(segment.find("amount") == std::string::npos);
    uint64_t asked = 0;
    const SegmentDirectory directory = readBack(segment, kRows, [&](uint64_t table) {
        asked = table;
        return cipher;
    });
    CHECK(asked == 42);
    CHECK(directory.cipher == cipher);
    CHECK(directory.schema[1].name == "amount");
}
