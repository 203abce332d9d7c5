// Values between times, at the labels of a frequency.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/called.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// Seconds after the begin of a day.
Value timesAt(const std::vector<int32_t>& seconds) {
    std::vector<int32_t> times;
    for (const int32_t second : seconds) times.push_back(1'700'006'400 + second);
    return Value::of(Vector::of(Type::DateTime, times));
}

}  // namespace

TEST_CASE("both schemes of polynomials give the same, and labels outside of the points have no value") {
    const Value x = timesAt({30, 90, 150, 210, 270}), y = numbers({2, 4, 7, 11, 16}), rule = Value::ofString("1min");
    const std::vector<double> first = elementsOf(called("neville", {x, y, rule})),
                              second = elementsOf(called("dividedDifference", {x, y, rule}));
    REQUIRE(first.size() == 5);
    CHECK(isNull(first[0]));
    CHECK(isNull(second[0]));
    for (size_t i = 1; i < first.size(); ++i) CHECK(first[i] == Approx(second[i]));
    CHECK(first[1] == Approx(2.875));
    const Value both = called("spline", {x, y, rule, Value(), Value(), Value::ofBool(true)});
    REQUIRE(both.isTuple());
    CHECK(both.at(0).type() == Type::DateTime);
    CHECK(both.at(0).size() == both.at(1).size());
}

TEST_CASE("a spline through two times is their line") {
    const std::vector<double> values =
        elementsOf(called("spline", {timesAt({0, 120}), numbers({1, 3}), Value::ofString("1min")}));
    CHECK(values == std::vector<double>{1, 2, 3});
}

TEST_CASE("times that do not ascend, and frequencies that are none, are refused") {
    const Value y = numbers({1, 2});
    CHECK(refusal("neville", {timesAt({60, 60}), y, Value::ofString("1min")}).find("must ascend") != std::string::npos);
    CHECK(refusal("spline", {timesAt({0}), numbers({1}), Value::ofString("1min")}).find("two times") !=
          std::string::npos);
    CHECK(refusal("spline", {numbers({0, 1}), y, Value::ofString("1min")}).find("X must be") != std::string::npos);
    CHECK_FALSE(refusal("spline", {timesAt({0, 60}), y, Value::ofString("never")}).empty());
}
