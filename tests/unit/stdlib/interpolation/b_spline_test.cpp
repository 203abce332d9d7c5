// Curves of B-splines.
#include "stdlib/interpolation/b_spline.h"

#include <catch2/catch.hpp>
#include <numeric>

using namespace pelorus;

TEST_CASE("the B-splines of a piece sum up to one, at every point and degree") {
    for (int degree = 1; degree <= 5; ++degree) {
        std::vector<double> knots(static_cast<size_t>(degree) + 1, 0.0);
        knots.insert(knots.end(), {1, 2, 2, 4});
        knots.insert(knots.end(), static_cast<size_t>(degree) + 1, 5.0);
        for (const double x : {0.0, 0.5, 1.0, 2.0, 3.9, 5.0}) {
            const std::vector<double> basis = basisAt(knots, degree, pieceOf(knots, degree, x), x);
            CHECK(std::accumulate(basis.begin(), basis.end(), 0.0) == Approx(1));
        }
    }
}

TEST_CASE("a curve through points of a cubic is the cubic, beyond its ends too") {
    const auto cubic = [](double x) { return x * x * x - 4 * x + 1; };
    std::vector<double> x, y;
    for (int i = 0; i < 9; ++i) {
        x.push_back(i * 0.75);
        y.push_back(cubic(x.back()));
    }
    const std::vector<double> inner(x.begin() + 2, x.end() - 2), few = {3.1};
    for (const std::vector<double>& knots : {inner, few}) {
        const BSpline curve = cubicThrough(x, y, knots);
        REQUIRE(curve.coefficients.size() + 4 == curve.knots.size());
        for (const double at : {-0.5, 0.0, 1.1, 5.9, 6.0, 7.0}) CHECK(curve.at(at) == Approx(cubic(at)));
    }
}

TEST_CASE("points that do not determine a curve give none") {
    const std::vector<double> x = {0, 1, 2, 3, 4, 5}, y = {0, 1, 0, 1, 0, 1}, crowded = {0.1, 0.2, 0.3, 0.4};
    CHECK(cubicThrough(x, y, crowded).coefficients.empty());
    CHECK(cubicThrough(x, y, std::vector<double>(x.begin() + 1, x.end() - 1)).coefficients.empty());
}
