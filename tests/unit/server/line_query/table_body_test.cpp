#include "server/line_query/table_body.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/mixed_table.h"
#include "tests/unit/runtime/arrow/arrow_bytes.h"

namespace pelorus {

TEST_CASE("the Accept header chooses the form, and JSON stays the default") {
    CHECK_FALSE(acceptedBody(""));
    CHECK_FALSE(acceptedBody("*/*"));
    CHECK_FALSE(acceptedBody("application/json, text/csv"));
    CHECK(acceptedBody("text/csv") == TableBody::Csv);
    CHECK(acceptedBody("application/vnd.apache.parquet") == TableBody::Parquet);
    CHECK(acceptedBody("image/png, Application/vnd.apache.arrow.STREAM;q=0.9, */*") == TableBody::ArrowStream);
}

TEST_CASE("bodies have the rows that are asked for") {
    const Ref<MemoryTable> table = testing::mixedTable(20);
    const Value result = Value::of(Ref<Table>(table));
    const Ref<MemoryTable> rows = testing::tableOf(tableBody(TableBody::ArrowStream, result, 5, 100));
    CHECK(testing::firstDifference(*table->slice(5, 15), *rows) == "");
    auto small = makeRef<MemoryTable>();
    small->setColumn("a", Value::of(Vector::of<int32_t>(Type::Int, {1, 2, 3})));
    CHECK(formOf(mediaTypeOf(TableBody::Csv)) == TableBody::Csv);
    CHECK_FALSE(formOf("application/json"));
    CHECK(tableBody(TableBody::Csv, Value::of(Ref<Table>(small)), 1, 2) == "a\n2\n");
    CHECK_THROWS_AS(tableBody(TableBody::Csv, Value::ofInt(1), 0, 1), UserError);
}

}  // namespace pelorus
