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
