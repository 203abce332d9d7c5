// Curves of cubic pieces: what they go through, and what holds at their points and ends.
#include "stdlib/interpolation/piecewise_cubic.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace pelorus;

namespace {

const std::vector<double> kX = {0, 0.5, 2, 3, 3.25, 7};
const std::vector<double> kY = {1, 4, -2, -2, 0, 5};

// The value, slope and curvature of a piece at the distance t from its begin.
std::array<double, 3> derivatives(const PiecewiseCubic& curve, size_t piece, double t) {
    const auto& c = curve.coefficients[piece];
    return {((c[0] * t + c[1]) * t + c[2]) * t + c[3], (3 * c[0] * t + 2 * c[1]) * t + c[2], 6 * c[0] * t + 2 * c[1]};
}

}  // namespace

TEST_CASE("a spline goes through its points with continuous slope and curvature, and obeys its ends") {
    for (const SplineEnd left : {SplineEnd::NotAKnot, SplineEnd::Clamped, SplineEnd::Natural}) {
        for (const SplineEnd right : {SplineEnd::NotAKnot, SplineEnd::Clamped, SplineEnd::Natural}) {
            const PiecewiseCubic curve = cubicSpline(kX, kY, left, right);
            REQUIRE(curve.coefficients.size() == kX.size() - 1);
            for (size_t i = 0; i < kX.size(); ++i) CHECK(curve.at(kX[i]) == Approx(kY[i]));
            for (size_t i = 0; i + 2 < kX.size(); ++i) {
                const auto end = derivatives(curve, i, kX[i + 1] - kX[i]), begin = derivatives(curve, i + 1, 0);
                for (size_t k = 0; k < 3; ++k) CHECK(end[k] == Approx(begin[k]).margin(1e-9));
            }
            const auto first = derivatives(curve, 0, 0), last = derivatives(curve, 4, kX[5] - kX[4]);
            if (left == SplineEnd::Clamped) CHECK(first[1] == Approx(0).margin(1e-9));
            if (left == SplineEnd::Natural) CHECK(first[2] == Approx(0).margin(1e-9));
            if (left == SplineEnd::NotAKnot) CHECK(curve.coefficients[0][0] == Approx(curve.coefficients[1][0]));
            if (right == SplineEnd::Clamped) CHECK(last[1] == Approx(0).margin(1e-9));
            if (right == SplineEnd::Natural) CHECK(last[2] == Approx(0).margin(1e-9));
            if (right == SplineEnd::NotAKnot) CHECK(curve.coefficients[3][0] == Approx(curve.coefficients[4][0]));
        }
    }
}

TEST_CASE("a spline through three points without knots is their parabola") {
    const std::vector<double> y = {1, 6, 17};
    const PiecewiseCubic curve = cubicSpline({0, 1, 2}, y, SplineEnd::NotAKnot, SplineEnd::NotAKnot);
    for (const double x : {-1.0, 0.25, 1.5, 3.0}) CHECK(curve.at(x) == Approx(1 + 2 * x + 3 * x * x));
}

TEST_CASE("a monotone curve stays between neighbouring points") {
    const PiecewiseCubic curve = monotoneSpline(kX, kY);
    for (size_t i = 0; i + 1 < kX.size(); ++i) {
        const double low = std::min(kY[i], kY[i + 1]), high = std::max(kY[i], kY[i + 1]);
        for (int k = 0; k <= 20; ++k) {
            const double value = curve.at(kX[i] + (kX[i + 1] - kX[i]) * k / 20);
            CHECK(value >= low - 1e-12);
            CHECK(value <= high + 1e-12);
        }
    }
    const std::vector<double> line = {3, 5};
    CHECK(monotoneSpline({0, 1}, line).at(2) == Approx(7));
}

TEST_CASE("a curve with given slopes has them") {
    const std::vector<double> slopes = {1, 0, -3, 2, 0.5, 4};
    const PiecewiseCubic curve = hermiteSpline(kX, kY, slopes);
    for (size_t i = 0; i + 1 < kX.size(); ++i) {
        const auto begin = derivatives(curve, i, 0), end = derivatives(curve, i, kX[i + 1] - kX[i]);
        CHECK(begin[1] == Approx(slopes[i]).margin(1e-12));
        CHECK(end[0] == Approx(kY[i + 1]).margin(1e-12));
        CHECK(end[1] == Approx(slopes[i + 1]).margin(1e-9));
    }
}
