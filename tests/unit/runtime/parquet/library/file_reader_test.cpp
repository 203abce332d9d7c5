#include "runtime/parquet/parquet_library.h"

#include "common/error.h"
#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus::parquet_file {

using namespace testing;

TEST_CASE("columns are described with their levels, and statistics with their row groups") {
    if (!hasParquet()) return;
    ParquetFixture files;
    ParquetWriter::Options options;
    options.rowGroupRows = 50;
    files.write("t.parquet", mixedTable(100), options);
    const auto reader = library().read(UserFiles::machine().openForRead(files.path("t.parquet")));
    REQUIRE(reader->rowGroupCount() == 2);
    const std::vector<Column>& columns = reader->columns();
    CHECK(columns[5].logical == Logical::Date);
    CHECK(columns[5].maxDefinition == 1);
    CHECK(columns.back().maxRepetition == 1);
    CHECK(columns.back().maxDefinition == 3);
    const Statistics statistics = reader->statistics(1, columns[3].leaf);
    CHECK(statistics.nullCount == 10);
    REQUIRE(statistics.min);
    CHECK(statistics.min->size() == 4);
    CHECK(reader->compressedBytes(0, columns[3].leaf) > 0);
}

TEST_CASE("what is no Parquet file is refused") {
    if (!hasParquet()) return;
    ParquetFixture files;
    for (const std::string& bytes :
         {std::string(), std::string("PAR1"), std::string(100, 'x'), "PAR1" + std::string(100, 'x') + "PAR1",
          "PAR1" + std::string(100, 'x') + "PARE"}) {
        UserFiles::machine().create(files.path("bad"))->append(bytes);
        CHECK_THROWS_AS(library().read(UserFiles::machine().openForRead(files.path("bad"))), SystemError);
    }
}

}  // namespace pelorus::parquet_file
