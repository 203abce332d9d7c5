// Connected lines.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a break is found, and points are met that must be") {
    const Value x = numbers({0, 1, 2, 3, 4}), y = numbers({0, 1, 2, 1, 0});
    std::vector<Value> call(13);
    call[0] = x;
    call[1] = y;
    call[2] = Value::ofInt(2);
    call[12] = Value::ofInt(1);
    CHECK(elementsOf(memberOf(called("piecewiseLinFit", call), "breaks"))[1] == Approx(2).margin(1e-3));
    call[2] = Value::ofInt(1);
    call[3] = numbers({0});
    call[4] = numbers({5});
    const Value model = called("piecewiseLinFit", call);
    CHECK(called("pwlfPredict", {model, Value::ofInt(0)}).real() == Approx(5));
}
