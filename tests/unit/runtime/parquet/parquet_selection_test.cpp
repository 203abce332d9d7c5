#include "runtime/parquet/parquet_selection.h"

#include "common/error.h"
#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus {

using namespace testing;

namespace {

Value schemaOf(const std::vector<std::string>& names, const std::vector<std::string>& types) {
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"name", "type"},
        std::vector<Value>{Value::of(Vector::ofStrings(names)), Value::of(Vector::ofStrings(types))})));
}

}  // namespace

TEST_CASE("columns and row groups are chosen, renamed and converted") {
    if (!hasParquet()) return;
    ParquetFixture files;
    ParquetWriter::Options options;
    options.rowGroupRows = 10;
    files.write("t.parquet", numbers(35), options);
    const Value file = Value::ofString(files.path("t.parquet"));
    const ParquetSelection selection(files.context, {file, schemaOf({"a", "b"}, {"INT", "STRING"}),
                                                     Value::ofString("k"), Value::ofInt(1), Value::ofInt(2)});
    REQUIRE(selection.rowGroupCount() == 2);
    const Ref<MemoryTable> rows = selection.load(0, 2, files.context);
    CHECK(rows->rowCount() == 20);
    CHECK(rows->columns()[0].name == "a");
    CHECK(rows->columns()[0].type == Type::Int);
    CHECK(rows->column(0).at(0).integer() == 10);
}

TEST_CASE("arguments that do not fit the file are refused") {
    if (!hasParquet()) return;
    ParquetFixture files;
    files.write("t.parquet", numbers(3));
    const Value file = Value::ofString(files.path("t.parquet"));
    const auto select = [&](Value schema, Value columns, Value start) {
        ParquetSelection(files.context, {file, std::move(schema), std::move(columns), std::move(start), Value()});
    };
    CHECK_THROWS_AS(select(schemaOf({"a"}, {"INT"}), Value(), Value()), UserError);
    CHECK_THROWS_AS(select(schemaOf({"a", "b"}, {"INT", "NONE"}), Value(), Value()), UserError);
    CHECK_THROWS_AS(select(Value::ofInt(1), Value(), Value()), UserError);
    CHECK_THROWS_AS(select(Value(), Value::ofInt(2), Value()), UserError);
    CHECK_THROWS_AS(select(Value(), Value::ofString("z"), Value()), UserError);
    CHECK_THROWS_AS(select(Value(), Value(), Value::ofInt(1)), UserError);
    CHECK_THROWS_AS(select(Value(), Value(), Value::ofInt(-1)), UserError);
}

}  // namespace pelorus
