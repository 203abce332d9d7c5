#include "runtime/parquet/parquet_table.h"

#include "common/error.h"
#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus {

using namespace testing;

TEST_CASE("files of a pattern are one table, with the keys of their folders") {
    if (!hasParquet()) return;
    ParquetFixture files;
    for (const char* day : {"2024-01-02", "2024-01-03"}) {
        UserFiles::machine().makeFolder(files.path(std::string("day=") + day + "/n=7"));
        files.write(std::string("day=") + day + "/n=7/t.parquet", numbers(3));
    }
    const Ref<ParquetTable> table = files.open("**/*.parquet");
    CHECK(table->rowCount() == 6);
    CHECK(table->columns()[2].type == Type::Date);
    CHECK(table->columns()[3].type == Type::Int);
    const Ref<MemoryTable> rows = files.load("**/*.parquet");
    CHECK(rows->column(2).at(0).integer() + 1 == rows->column(2).at(3).integer());
    CHECK(rows->column(3).at(5).integer() == 7);
}

TEST_CASE("files with other columns are refused by name") {
    if (!hasParquet()) return;
    ParquetFixture files;
    files.write("a.parquet", numbers(3));
    files.write("b.parquet", mixedTable(3));
    CHECK_THROWS_WITH(files.open("*.parquet"), Catch::Contains("b.parquet has no column k"));
}

TEST_CASE("a table of files takes no rows") {
    if (!hasParquet()) return;
    ParquetFixture files;
    files.write("a.parquet", numbers(3));
    CHECK_THROWS_AS(files.open("a.parquet")->append(*numbers(1)), UserError);
}

}  // namespace pelorus
