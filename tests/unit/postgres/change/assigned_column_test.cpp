#include "postgres/change/assigned_column.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

TargetTable tableOf(Type type, uint8_t scale, DeclaredType declared) {
    TargetTable table;
    table.name = "t";
    table.columns.push_back({{"c", type, scale, ""}, declared});
    return table;
}

// The column's values after these were added.
std::vector<Value> written(Type type, DeclaredType declared, const std::vector<Value>& values, uint8_t scale = 0) {
    const TargetTable table = tableOf(type, scale, declared);
    AssignedColumn writer(table, table.columns[0]);
    for (const Value& value : values) writer.add(value);
    const Value column = writer.take();
    std::vector<Value> read;
    for (int64_t i = 0; i < column.size(); ++i) read.push_back(column.at(i));
    return read;
}

}  // namespace

TEST_CASE("numbers are brought into the column's type, or refused") {
    const auto shorts = written(Type::Short, {{oid::kInt2}}, {Value::ofLong(7), Value(), Value::ofDouble(2.5)});
    CHECK(shorts[0].integer() == 7);
    CHECK(shorts[1].isNull());
    CHECK(shorts[2].integer() == 2);
    CHECK_THROWS_AS(written(Type::Short, {{oid::kInt2}}, {Value::ofLong(70000)}), SqlError);
    CHECK_THROWS_AS(written(Type::Char, {{oid::kInt2}}, {Value::ofInt(200)}), SqlError);
    const DeclaredType numeric{{oid::kNumeric, numericModifier(5, 2)}};
    CHECK(written(Type::Decimal32, numeric, {Value::ofInt(12)}, 2)[0].type() == Type::Decimal32);
    CHECK_THROWS_AS(written(Type::Decimal32, numeric, {Value::ofInt(1234)}, 2), SqlError);
}

TEST_CASE("strings have the length of their type, and '' is NULL") {
    const DeclaredType varchar{{oid::kVarchar, 3 + 4}};
    const auto texts = written(Type::String, varchar, {textValue("äöü"), textValue(""), textValue("ab    ")});
    CHECK(texts[0].string() == "äöü");
    CHECK(texts[1].isNull());
    CHECK(texts[2].string() == "ab ");
    CHECK_THROWS_AS(written(Type::String, varchar, {textValue("abcd")}), SqlError);
    CHECK(written(Type::Symbol, {{oid::kText}}, {textValue("s")})[0].type() == Type::Symbol);
    CHECK(written(Type::String, {{oid::kBpchar, 5 + 4}}, {textValue("a  ")})[0].string() == "a");
}

TEST_CASE("a row table keeps '' beside NULL") {
    TargetTable table = tableOf(Type::String, 0, {{oid::kBpchar, 3 + 4}});
    table.isRowTable = true;
    AssignedColumn writer(table, table.columns[0]);
    writer.add(textValue(""));
    writer.add(Value());
    writer.addText("   ");
    const Value column = writer.take();
    CHECK(textOfValue(column.at(0)).empty());
    CHECK_FALSE(column.at(0).isNull());
    CHECK(column.at(1).isNull());
    CHECK_FALSE(column.at(2).isNull());
}

TEST_CASE("a column that must not have NULL takes none") {
    DeclaredType required{{oid::kInt4}};
    required.isRequired = true;
    CHECK_THROWS_AS(written(Type::Int, required, {Value()}), SqlError);
    const TargetTable table = tableOf(Type::Int, 0, required);
    AssignedColumn writer(table, table.columns[0]);
    CHECK_THROWS_AS(writer.addNulls(2), SqlError);
    writer.addAll(Value::of(Vector::of<int32_t>(Type::Int, {1, 2})));
    writer.addInteger(3);
    CHECK(writer.take().size() == 3);
    CHECK(writer.size() == 0);
}
