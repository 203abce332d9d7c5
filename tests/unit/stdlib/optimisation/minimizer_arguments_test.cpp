// Arguments of minimizers.
#include "stdlib/optimisation/minimizer_arguments.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("bounds are a row for each parameter, and NULL is none") {
    std::vector<Value> given = {matrixValue({0, null<double>, 1, 5}, 2, 2), matrixValue({1, 0}, 1, 2)};
    Point low, high;
    boundsArgument(given, 0, 2, low, high);
    CHECK(low[0] == 0);
    CHECK(std::isinf(low[1]));
    CHECK(high == Point{1, 5});
    CHECK_THROWS_AS(boundsArgument(given, 1, 1, low, high), UserError);
    CHECK_THROWS_AS(boundsArgument(given, 0, 3, low, high), UserError);
}
