#include "runtime/parquet/parquet_writer.h"

#include "common/error.h"
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
