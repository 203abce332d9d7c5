// Least squares within bounds.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("coefficients stay within their bounds, and free ones make up for it") {
    const Value y = numbers({1, 4, 7}), x = numbers({0, 1, 2});
    CHECK(elementsOf(called("bvls", {y, x, tupleOf({Value::ofInt(-9), Value::ofInt(9)})}))[1] == Approx(3));
    const std::vector<double> bound = elementsOf(called("bvls", {y, x, tupleOf({numbers({0}), numbers({2})})}));
    CHECK(bound[1] == Approx(2));
    CHECK(bound[0] == Approx(2));
    CHECK(refusal("bvls", {y, x, tupleOf({Value::ofInt(3), Value::ofInt(2)})}).find("leave nothing") !=
          std::string::npos);
}
