// Integrals of one variable.
#include "stdlib/optimisation/quadrature.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("integrals over finite and infinite intervals") {
    CHECK(integrate([](double x) { return std::abs(x); }, -10, 10) == Approx(100));
    CHECK(integrate([](double x) { return std::exp(-x * x / 2); }, -HUGE_VAL, HUGE_VAL) == Approx(std::sqrt(2 * M_PI)));
    CHECK(integrate([](double x) { return std::exp(-x); }, 0, HUGE_VAL) == Approx(1));
    CHECK(integrate([](double x) { return x; }, 2, 0) == Approx(-2));
}

TEST_CASE("an integral that does not converge is none") {
    CHECK(std::isnan(integrate([](double x) { return std::abs(x); }, -HUGE_VAL, HUGE_VAL)));
}
