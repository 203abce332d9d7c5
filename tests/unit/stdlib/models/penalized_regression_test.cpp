// Regressions with penalties.
#include "stdlib/models/penalized_regression.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {
LeastSquares momentsOf(const std::vector<double>& y, const std::vector<double>& x) {
    LeastSquares moments(1);
    const std::vector<Ref<Vector>> columns = {Vector::of(Type::Double, x)};
    moments.add(*Vector::of(Type::Double, y), columns);
    return moments;
}
}  // namespace

TEST_CASE("penalties draw coefficients towards 0, in closed form for one factor") {
    const LeastSquares m = momentsOf({1, 4, 7, 10, 13}, {0, 1, 2, 3, 4});
    CHECK(fitRidge(m, {.alpha = 2}).coefficients[0] == Approx(2.5));
    CHECK(fitElasticNet(m, {.alpha = 1.5, .l1Ratio = 1}, [] {}).coefficients[0] == Approx(2.25));
    CHECK(fitElasticNet(m, {.alpha = 100, .l1Ratio = 1}, [] {}).coefficients[0] == 0);
    const PenalizedFit exact = fitRidge(m, {.alpha = 0});
    CHECK(exact.intercept == Approx(1));
    CHECK(squaresLeft(m, exact) == Approx(0).margin(1e-9));
}
