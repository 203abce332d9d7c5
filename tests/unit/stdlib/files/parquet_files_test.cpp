#include <catch2/catch.hpp>

#include "common/error.h"
#include "stdlib/register_builtins.h"
#include "tests/unit/runtime/parquet/parquet_fixture.h"
#include "tests/unit/stdlib/files/called.h"

namespace pelorus {

using namespace testing;

TEST_CASE("a table is saved as Parquet and loaded again; arguments that make no sense are refused") {
    if (!hasParquet()) return;
    ParquetFixture files;
    const Ref<MemoryTable> table = mixedTable(30);
    const Value path = Value::ofString(files.path("t.parquet")), rows = Value::of(Ref<Table>(table));
    called(files.context, "saveParquet",
           {rows, path, Value::ofString("ZSTD"), Value::ofInt(10), Value::ofString("c4")});
    CHECK(firstDifference(*table, *tableToRead(called(files.context, "parquet::loadParquet", {path}))) == "");
    const Value schema = called(files.context, "extractParquetSchema", {path});
    CHECK(schema.table().rowCount() == table->columnCount());
    CHECK_THROWS_AS(called(files.context, "saveParquet", {rows, path, Value::ofString("rar")}), UserError);
    CHECK_THROWS_AS(called(files.context, "saveParquet", {rows, path, Value(), Value::ofInt(0)}), UserError);
    CHECK_THROWS_AS(called(files.context, "saveParquet", {rows, path, Value(), Value(), Value::ofString("z")}),
                    UserError);
    CHECK_THROWS_AS(called(files.context, "saveParquet", {Value::ofInt(1), path}), UserError);
}

}  // namespace pelorus
