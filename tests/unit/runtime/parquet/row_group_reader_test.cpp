#include "runtime/parquet/row_group_reader.h"

#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus {

using namespace testing;

TEST_CASE("blocks are read in any order, and a row group of several has bounds that are not exact") {
    if (!hasParquet()) return;
    ParquetFixture files;
    const int64_t rows = 4 * RowGroupReader::kBlockRows + 10;
    files.write("t.parquet", numbers(rows));
    const auto snapshot = files.open("t.parquet")->takeSnapshot();
    REQUIRE(snapshot->partitions().size() == 1);
    const auto reader = snapshot->open(0);
    REQUIRE(reader->blockCount() == 5);
    CHECK(reader->blockRows(4) == 10);
    for (const int block : {0, 3, 1, 1, 4, 0}) {
        const Value column = reader->read(block, 0);
        CHECK(column.size() == reader->blockRows(block));
        CHECK(column.at(0).integer() == block * RowGroupReader::kBlockRows);
        CHECK(column.at(column.size() - 1).integer() == block * RowGroupReader::kBlockRows + column.size() - 1);
    }
    // The page index tells of each block, up to the pages that it shares with others.
    const BlockBounds bounds = reader->bounds(1, 0);
    CHECK(bounds.known);
    CHECK_FALSE(bounds.isExact);
    CHECK(bounds.min.integer() <= RowGroupReader::kBlockRows);
    CHECK(bounds.max.integer() < rows - 1);
    CHECK(reader->bounds(4, 0).min.integer() > 0);
    CHECK(bounds.max.integer() >= 2 * RowGroupReader::kBlockRows - 1);
}

TEST_CASE("a row group with a Bloom filter tells values that it does not have") {
    if (!hasParquet()) return;
    ParquetFixture files;
    ParquetWriter::Options options;
    options.filterColumns = {0};
    files.write("t.parquet", numbers(1000), options);
    const auto snapshot = files.open("t.parquet")->takeSnapshot();
    const auto reader = snapshot->open(0);
    const auto* filters = dynamic_cast<const ValueFilters*>(reader.get());
    REQUIRE(filters != nullptr);
    CHECK(filters->mayHaveAny(0, {Value::ofLong(5000), Value::ofLong(7)}));
    int excluded = 0;
    for (int64_t x = 1000; x < 1100; ++x) excluded += !filters->mayHaveAny(0, {Value::ofLong(x)});
    CHECK(excluded > 80);
    CHECK(filters->mayHaveAny(0, {Value::nullOf(Type::Long)}));
    CHECK(filters->mayHaveAny(1, {Value::ofString("absent")}));
}

}  // namespace pelorus
