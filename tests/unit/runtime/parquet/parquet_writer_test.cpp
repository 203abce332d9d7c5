#include "runtime/parquet/parquet_writer.h"

#include "common/error.h"
#include "runtime/parquet/memory_file.h"
#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus {

using namespace testing;

TEST_CASE("a table comes back from a Parquet file as it was, whatever its types") {
    if (!hasParquet()) return;
    ParquetFixture files;
    for (const char* compression : {"none", "snappy", "gzip", "lz4", "zstd"}) {
        const Ref<MemoryTable> table = mixedTable(1000);
        ParquetWriter::Options options;
        options.compression = compression;
        options.rowGroupRows = 300;
        files.write("t.parquet", table, options);
        CHECK(files.open("t.parquet")->rowGroupCount() == 4);
        CHECK(firstDifference(*table, *files.load("t.parquet")) == "");
    }
}

TEST_CASE("rows that come in pieces fill row groups") {
    if (!hasParquet()) return;
    ParquetFixture files;
    const Ref<MemoryTable> rows = numbers(70);
    ParquetWriter::Options options;
    options.rowGroupRows = 100;
    {
        ParquetWriter writer(UserFiles::machine(), files.path("t.parquet"), rows->columns(), options);
        for (int i = 0; i < 3; ++i) writer.append(rows);
        CHECK(writer.rowCount() == 210);
        writer.finish();
    }
    const Ref<ParquetTable> table = files.open("t.parquet");
    REQUIRE(table->rowGroupCount() == 3);
    CHECK(table->rowsOfGroup(2) == 10);
    CHECK(files.load("t.parquet")->column(0).at(70).integer() == 0);
}

TEST_CASE("a file in memory is written and read as one on disk") {
    if (!hasParquet()) return;
    const Ref<MemoryTable> table = mixedTable(100);
    const auto file = std::make_shared<MemoryFile>("memory");
    ParquetWriter writer(file, table->columns(), {});
    writer.append(table);
    writer.finish();
    ParquetFixture files;
    std::vector<int> columns(static_cast<size_t>(table->columnCount()));
    std::iota(columns.begin(), columns.end(), 0);
    CHECK(firstDifference(*table, *ParquetTable::open(file)->load(columns, 0, 1, files.context)) == "");
    CHECK_THROWS_WITH(ParquetTable::open(std::make_shared<MemoryFile>("the body", "PAR1PAR1PAR1")),
                      Catch::Contains("the body"));
}

TEST_CASE("a file that is not finished leaves the old one, and nothing else") {
    if (!hasParquet()) return;
    ParquetFixture files;
    files.write("t.parquet", numbers(3));
    {
        ParquetWriter writer(UserFiles::machine(), files.path("t.parquet"), numbers(1)->columns(), {});
        writer.append(numbers(500));
    }
    CHECK(files.load("t.parquet")->rowCount() == 3);
    CHECK(UserFiles::machine().list(files.folder.path()) == std::vector<std::string>{"t.parquet"});
}

}  // namespace pelorus
