// Bonds as functions of the script.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a name that is none is refused with those that are") {
    const Value start = Value::scalar(Type::Date, 18000), end = Value::scalar(Type::Date, 20000);
    const std::vector<Value> call = {
        start, end, Value::ofDouble(0.05), Value::ofInt(1), text("Actual361"), text("FixedRate")};
    CHECK(refusal("bondCashflow", call).find("ActualActualISMA") != std::string::npos);
    std::vector<Value> turned = call;
    std::swap(turned[0], turned[1]);
    turned[4] = text("Actual360");
    CHECK(refusal("bondCashflow", turned).find("after start") != std::string::npos);
}

TEST_CASE("vectors of bonds give a result for each") {
    const Value start = Value::scalar(Type::Date, 18000), end = Value::scalar(Type::Date, 20000),
                now = Value::scalar(Type::Date, 18100);
    const Value prices =
        called("bondDirtyPrice", {start, end, Value::ofInt(100), numbers({0.03, 0.05}), text("Annual"),
                                  text("Actual365"), text("FixedRate"), now, Value::ofDouble(0.04), text("YTM")});
    REQUIRE(prices.size() == 2);
    CHECK(elementsOf(prices)[0] < elementsOf(prices)[1]);
}
