#include "runtime/parquet/row_group_reader.h"

#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus {

using namespace testing;

TEST_CASE("blocks are read in any order, and a row group of several has bounds that are not exact") {
    if (!hasParquet()) return;
    ParquetFixture files;
    const int64_t rows = 2 * RowGroupReader::kBlockRows + 10;
    files.write("t.parquet", numbers(rows));
    const auto snapshot = files.open("t.parquet")->takeSnapshot();
    REQUIRE(snapshot->partitions().size() == 1);
    const auto reader = snapshot->open(0);
    REQUIRE(reader->blockCount() == 3);
    CHECK(reader->blockRows(2) == 10);
    for (const int block : {0, 2, 1, 1, 0}) {
        const Value column = reader->read(block, 0);
        CHECK(column.size() == reader->blockRows(block));
        CHECK(column.at(0).integer() == block * RowGroupReader::kBlockRows);
        CHECK(column.at(column.size() - 1).integer() == block * RowGroupReader::kBlockRows + column.size() - 1);
    }
    const BlockBounds bounds = reader->bounds(1, 0);
    CHECK(bounds.known);
    CHECK_FALSE(bounds.isExact);
    CHECK(bounds.max.integer() == rows - 1);
}

}  // namespace pelorus
