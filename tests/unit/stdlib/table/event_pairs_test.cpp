// Pairs of events, and windows of rows.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("pairs within the window are counted, in either order unless order matters") {
    const Value events = Value::of(Vector::ofStrings({"B", "A", "B"}));
    const auto hits = [&](bool ordered) {
        const Value t = called("coevent", {events, Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2, 3})),
                                           Value::ofInt(1), Value::ofBool(ordered)});
        return t.table().rowCount();
    };
    CHECK(hits(false) == 1);
    CHECK(hits(true) == 2);
}

TEST_CASE("windows of a table stay within their group") {
    const Value t = tableOf({"g", "x"}, {{1, 1, 2, 2}, {1, 2, 3, 4}});
    CHECK(called("rollingPanel", {t, Value::ofInt(2), text("g")}).table().rowCount() == 4);
    CHECK(called("rollingPanel", {t, Value::ofInt(2)}).table().rowCount() == 6);
    CHECK(refusal("rollingPanel", {t, Value::ofInt(2), text("no")}).find("no column no") != std::string::npos);
}

static const Value& columnOf(const Value& table, int column) {
    return static_cast<const MemoryTable&>(table.table()).column(column);
}

TEST_CASE("events stand in the order of their values, not of their text") {
    const Value t =
        called("coevent", {Value::of(Vector::of(Type::Int, std::vector<int32_t>{10, 9, 10, 9})),
                           Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2, 3, 4})), Value::ofInt(1)});
    REQUIRE(t.table().rowCount() == 1);
    CHECK(columnOf(t, 0).at(0).integer() == 9);
    CHECK(columnOf(t, 1).at(0).integer() == 10);
    CHECK(columnOf(t, 2).at(0).integer() == 3);
}

TEST_CASE("groups that print alike are told apart, in the order in which they occur") {
    const Value t = tableOf({"k", "x"}, {{1.00000002, 1.00000001, 1.00000002}, {1, 2, 3}});
    const Value one = called("rollingPanel", {t, Value::ofInt(1), text("k")});
    CHECK(elementsOf(columnOf(one, 1)) == std::vector<double>{1, 3, 2});
    CHECK(called("rollingPanel", {t, Value::ofInt(2), text("k")}).table().rowCount() == 2);
}
