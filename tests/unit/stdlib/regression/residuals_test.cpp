// What regressions leave.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a line leaves nothing of what it fits") {
    CHECK(elementsOf(called("residual", {numbers({1, 3, 5}), numbers({0, 1, 2}), numbers({1, 2})})) ==
          std::vector<double>{0, 0, 0});
    CHECK(refusal("residual", {numbers({1, 3}), numbers({0, 1}), numbers({1})}).find("params has 1") !=
          std::string::npos);
}

TEST_CASE("rows of weight 0 do not count") {
    const Value line =
        called("wslr", {numbers({1, 3, 99}), numbers({0, 1, 2}), numbers({1, 1, 0}), Value::ofBool(true)});
    CHECK(line.at(0).real() == Approx(1));
    CHECK(line.at(1).real() == Approx(2));
    CHECK(line.at(2).real() == Approx(0).margin(1e-12));
}

TEST_CASE("windows of a regression with too few rows give NULL") {
    const Value moving = called("mmse", {numbers({1, 3, 5, 8}), numbers({0, 1, 2, 3}), Value::ofInt(3)});
    const std::vector<double> slopes = elementsOf(moving.at(0)), errors = elementsOf(moving.at(1));
    CHECK(isNull(slopes[1]));
    CHECK(slopes[2] == Approx(2));
    CHECK(errors[3] > 0);
}
