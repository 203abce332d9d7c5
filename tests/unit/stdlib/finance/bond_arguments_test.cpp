// Arguments that describe a bond.
#include "stdlib/finance/bond_arguments.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/unit/stdlib/instruments/descriptions.h"

using namespace pelorus;
using namespace pelorus::testing;

// Returns start, maturity, coupon, frequency, day count and kind.
static std::vector<Value> arguments(Value frequency, const std::string& dayCount, const std::string& type) {
    return {day(20089), day(21550), Value::ofDouble(0.04), std::move(frequency), text(dayCount), text(type)};
}

TEST_CASE("a bond is read by row, and NULL makes it unknown") {
    std::vector<Value> given = arguments(text("Semiannual"), "Actual365", "ZeroCoupon");
    bool isKnown = true;
    const Bond bond = bondAt(RowArguments(given), 0, false, isKnown);
    CHECK(isKnown);
    CHECK(bond.frequency == 2);
    CHECK(bond.type == BondType::ZeroCoupon);
    CHECK(bond.dayCount == DayCount::Actual365);
    CHECK(bond.issuePrice == 100);
    given[1] = Value::nullOf(Type::Date);
    (void)bondAt(RowArguments(given), 0, false, isKnown);
    CHECK_FALSE(isKnown);
}

TEST_CASE("unknown names and dates that do not ascend are told") {
    const auto read = [](std::vector<Value> given) {
        bool isKnown = true;
        (void)bondAt(RowArguments(given), 0, false, isKnown);
    };
    CHECK_THROWS_AS(read(arguments(text("Weekly"), "Actual365", "FixedRate")), UserError);
    CHECK_THROWS_AS(read(arguments(Value::ofInt(3), "Actual365", "FixedRate")), UserError);
    CHECK_THROWS_AS(read(arguments(Value::ofInt(1), "Actual", "FixedRate")), UserError);
    CHECK_THROWS_AS(read(arguments(Value::ofInt(1), "Actual365", "Perpetual")), UserError);
    std::vector<Value> backwards = arguments(Value::ofInt(1), "Actual365", "FixedRate");
    backwards[1] = backwards[0];
    CHECK_THROWS_AS(read(backwards), UserError);
}
