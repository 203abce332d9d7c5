// splrep and splev.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/called.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a curve through points gives their values, and goes on behind them") {
    const Value x = numbers({0, 1, 2, 3, 4, 5}), y = numbers({0, 1, 8, 27, 64, 125});
    const Value tck = called("splrep", {x, y});
    REQUIRE(tck.isTuple());
    CHECK(tck.at(0).size() == tck.at(1).size());
    CHECK(tck.at(2).integer() == 3);
    const std::vector<double> values = elementsOf(called("splev", {numbers({1, 2.5, 6}), tck}));
    CHECK(values[0] == Approx(1));
    CHECK(values[1] == Approx(15.625));
    CHECK(values[2] == Approx(216));
}

TEST_CASE("what is no curve is refused, naming what is wrong with it") {
    const Value x = numbers({0, 1, 2, 3, 4, 5}), y = numbers({0, 1, 0, 1, 0, 1});
    CHECK(refusal("splrep", {x, numbers({1})}).find("y has 1 elements") != std::string::npos);
    CHECK(refusal("splrep", {x, y, numbers({7})}).find("t must be") != std::string::npos);
    CHECK(refusal("splrep", {x, y, numbers({0.1, 0.2, 0.3, 0.4})}).find("do not determine") != std::string::npos);
    CHECK(refusal("splev", {x, x}).find("tck must be") != std::string::npos);
    const auto tuple = [](std::vector<Value> parts) { return Value::of(makeRef<Tuple>(std::move(parts))); };
    CHECK(refusal("splev", {x, tuple({x, y, Value::ofInt(9)})}).find("degree") != std::string::npos);
    CHECK(refusal("splev", {x, tuple({x, y, Value::ofInt(3)})}).find("knots") != std::string::npos);
    CHECK(refusal("splev", {x, tuple({numbers({0, 0, 1, 1}), numbers({1}), Value::ofInt(1)})})
              .find("fewer coefficients") != std::string::npos);
}
