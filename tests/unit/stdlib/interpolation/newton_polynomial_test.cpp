// Polynomials through points, with derivatives.
#include "stdlib/interpolation/newton_polynomial.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("the polynomial through points of a cubic is the cubic, with its derivatives") {
    const auto cubic = [](double x) { return 2 * x * x * x - x + 5; };
    std::vector<double> x = {-2, 0, 1, 3, 4}, y;
    for (const double at : x) y.push_back(cubic(at));
    const NewtonPolynomial polynomial = polynomialThrough(x, y);
    for (const double at : {-3.0, 0.5, 2.0, 6.0}) {
        CHECK(polynomial.derivative(at, 0) == Approx(cubic(at)));
        CHECK(polynomial.derivative(at, 1) == Approx(6 * at * at - 1));
        CHECK(polynomial.derivative(at, 2) == Approx(12 * at));
        CHECK(polynomial.derivative(at, 3) == Approx(12));
        CHECK(polynomial.derivative(at, 7) == Approx(0).margin(1e-9));
    }
}

TEST_CASE("repeated points give derivatives of rising order") {
    // f(0) = 1, f'(0) = 2, f''(0) = -6; f(1) = 3, f'(1) = 4.
    const std::vector<double> y = {1, 2, -6, 3, 4};
    const NewtonPolynomial polynomial = polynomialThrough({0, 0, 0, 1, 1}, y);
    CHECK(polynomial.derivative(0, 0) == Approx(1));
    CHECK(polynomial.derivative(0, 1) == Approx(2));
    CHECK(polynomial.derivative(0, 2) == Approx(-6));
    CHECK(polynomial.derivative(1, 0) == Approx(3));
    CHECK(polynomial.derivative(1, 1) == Approx(4));
}
