// Arguments of pricers.
#include "stdlib/instruments/priced_rows.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/instruments/descriptions.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("one argument serves all rows, several must be as many") {
    TestContext test;
    std::vector<Value> one = {bondOf(), day(5)}, several = {tupleOf({bondOf(), bondOf()}), days({5, 6})};
    const PricedRows single(one, 2), both(several, 2);
    CHECK(single.map(test.context, [](size_t) { return Value::ofDouble(2); }).asDouble() == 2);
    const Value dates = both.map(test.context, [&](size_t row) {
        return Value::ofDouble(static_cast<double>(both.date(1, row, "pricingDate")));
    });
    CHECK(elementsOf(dates) == std::vector<double>{5, 6});
    CHECK(both.map(test.context, [](size_t) { return text("a"); }).isTuple());
    int reads = 0;
    const auto values = single.readEach<int>(0, [&](const Value&) { return ++reads; });
    CHECK(single.of(values, 7) == 1);
    std::vector<Value> differ = {tupleOf({bondOf(), bondOf()}), days({5, 6, 7})};
    CHECK_THROWS_AS(PricedRows(differ, 2), UserError);
    CHECK_THROWS_AS(both.number(1, 0, "spot"), UserError);
}
