#include <catch2/catch.hpp>

#include "runtime/format/to_source.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

using namespace pelorus;

TEST_CASE("floating-point numbers show six decimals, or an exponent outside the middle range") {
    CHECK(displayDouble(0) == "0");
    CHECK(displayDouble(2.0 / 3) == "0.666667");
    CHECK(displayDouble(-4.8) == "-4.8");
    CHECK(displayDouble(2) == "2");
    CHECK(displayDouble(999999.5) == "999999.5");
    CHECK(displayDouble(1189796.0) == "1.189796E6");
    CHECK(displayDouble(1e-7) == "1.0E-7");
    CHECK(displayDouble(1e6) == "1.0E6");
    CHECK(displayDouble(null<double>).empty());
}

TEST_CASE("exports keep fifteen digits") {
    CHECK(exportDouble(0.1) == "0.1");
    CHECK(exportDouble(2.0 / 3) == "0.6666666666666666");
    CHECK(exportDouble(1000000) == "1000000");
    CHECK(exportDouble(-1e-7) == "-1e-07");
    CHECK(exportDouble(1.7976931348623157e308) == "1.7976931348623157e+308");
    CHECK(exportFloat(0.1f) == "0.1");
    CHECK(exportFloat(16777216.0f) == "16777216");
}

TEST_CASE("vectors show items without blanks, NULLs empty, at most thirty") {
    CHECK(display(Value::of(Vector::of<int32_t>(Type::Int, {1, null<int32_t>, 3}))) == "[1,,3]");
    CHECK(display(Value::of(Vector::of<int32_t>(Type::Int, {null<int32_t>}))) == "[00i]");
    CHECK(display(Value::of(Vector::ofStrings({"a", "b\"c"}))) == "[\"a\",\"b\\\"c\"]");
    std::vector<int32_t> many(31, 7);
    std::string string = display(Value::of(Vector::of(Type::Int, many)));
    CHECK(string.substr(string.size() - 6) == ",7...]");
    CHECK(display(Value::of(Vector::make(Type::Int, 0))) == "[]");
}

TEST_CASE("a table shows heads, dashes and rows, and what it leaves out") {
    auto table = makeRef<MemoryTable>();
    table->setColumn("name", Value::of(Vector::ofStrings({"a", ""})));
    table->setColumn("x", Value::of(Vector::of<double>(Type::Double, {1.5, null<double>})));
    CHECK(display(Value::of(Ref<Table>(table))) == "name x  \n---- ---\na    1.5\n        ");
    std::vector<int32_t> rows(31, 1);
    auto longTable = makeRef<MemoryTable>();
    longTable->setColumn("x", Value::of(Vector::of(Type::Int, rows)));
    std::string string = display(Value::of(Ref<Table>(longTable)));
    CHECK(string.substr(string.size() - 4) == "\n...");
    auto wide = makeRef<MemoryTable>();
    for (int i = 0; i < 30; ++i)
        wide->setColumn("column" + std::to_string(i), Value::of(Vector::of<int32_t>(Type::Int, {i})));
    std::string head = display(Value::of(Ref<Table>(wide)));
    head = head.substr(0, head.find('\n'));
    CHECK(head.substr(head.size() - 3) == "...");
    CHECK(head.size() <= 124);
}

TEST_CASE("dictionaries show one entry per line") {
    auto dictionary = makeRef<Dictionary>(Type::String, Type::Int, true);
    dictionary->set(Value::ofString("a"), Value::ofInt(1));
    dictionary->set(Value::ofString("b"), Value::ofInt(2));
    CHECK(display(Value::of(dictionary)) == "a->1\nb->2");
}

TEST_CASE("values are written as a script would write them") {
    CHECK(toLiteral(Value::ofString("a\"b\n")) == "\"a\\\"b\\n\"");
    CHECK(toLiteral(Value::ofDouble(2)) == "2.0");
    CHECK(toLiteral(Value::ofDouble(0.1)) == "0.1");
    CHECK(toLiteral(Value::ofLong(5)) == "5l");
    CHECK(toLiteral(Value::nullOf(Type::Date)) == "00d");
    CHECK(toLiteral(Value::of(Vector::of<int32_t>(Type::Int, {1, null<int32_t>}))) == "[1,00i]");
}

TEST_CASE("typestr names type and form") {
    CHECK(typeString(Value::ofInt(1)) == "INT");
    CHECK(typeString(Value::of(Vector::make(Type::Double, 1))) == "FAST DOUBLE VECTOR");
    CHECK(typeString(Value::of(Vector::make(Type::String, 1))) == "STRING VECTOR");
    CHECK(typeString(Value::of(makeRef<Tuple>())) == "ANY VECTOR");
    CHECK(typeString(Value::of(Ref<Table>(makeRef<MemoryTable>()))) == "IN-MEMORY TABLE");
}
