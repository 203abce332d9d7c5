// bondCalculator.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/instruments/descriptions.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("price, yield and sensitivities of a bond follow from each other") {
    const auto at = [](double price, const std::string& kind) {
        return calledWith("bondCalculator",
                          {day(20089), day(21550), Value::ofInt(100), Value::ofDouble(0.04), Value::ofInt(1),
                           text("ActualActualISMA"), text("FixedRate"), text("CFET"), text("Unadjusted"), day(20189),
                           Value::ofDouble(price), text(kind), Value::ofBool(true)});
    };
    const Value result = at(0.03, "YTM");
    const double dirty = memberOf(result, "dirtyPrice").asDouble();
    CHECK(memberOf(at(dirty, "DirtyPrice"), "ytm").asDouble() == Approx(0.03));
    CHECK(memberOf(at(memberOf(result, "cleanPrice").asDouble(), "CleanPrice"), "ytm").asDouble() == Approx(0.03));
    const double up = memberOf(at(0.0301, "YTM"), "dirtyPrice").asDouble();
    CHECK(memberOf(result, "pvbp").asDouble() == Approx(dirty - up).epsilon(1e-3));
    CHECK(memberOf(result, "macaulayDuration").asDouble() ==
          Approx(1.03 * memberOf(result, "modifiedDuration").asDouble()));
    CHECK_THROWS_AS(at(0.03, "Price"), UserError);
}
