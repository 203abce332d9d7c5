// Regressions over a few columns.
#include "stdlib/time_series/dense_regression.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("coefficients and their errors are those of the textbook") {
    const DenseRegression r = regress({1, 3, 5, 8}, {{1, 1, 1, 1}, {0, 1, 2, 3}});
    CHECK(r.beta[0] == Approx(0.8));
    CHECK(r.beta[1] == Approx(2.3));
    CHECK(r.squares == Approx(0.3));
    CHECK(r.standardError[1] == Approx(std::sqrt(0.15 / 5)));
    CHECK(regress({1, 2, 3}, {{1, 1, 1}, {2, 2, 2}}).isSingular);
    CHECK(regress({1}, {{1}, {2}}).isSingular);
}
