#include "stdlib/interpolation/piecewise_cubic.h"

#include <algorithm>
#include <cmath>

#include "common/check.h"

namespace pelorus {

double PiecewiseCubic::at(double point) const {
    const auto behind = std::upper_bound(x.begin() + 1, x.end() - 1, point);
    const auto piece = static_cast<size_t>(behind - x.begin()) - 1;
    const auto& c = coefficients[piece];
    const double t = point - x[piece];
    return ((c[0] * t + c[1]) * t + c[2]) * t + c[3];
}

PiecewiseCubic hermiteSpline(std::vector<double> x, std::span<const double> y, std::span<const double> slopes) {
    CHECK(x.size() >= 2 && y.size() == x.size() && slopes.size() == x.size())
        << "a curve has two points or more, each with value and slope";
    PiecewiseCubic curve;
    for (size_t i = 0; i + 1 < x.size(); ++i) {
        const double h = x[i + 1] - x[i], secant = (y[i + 1] - y[i]) / h;
        const double bend = (slopes[i] + slopes[i + 1] - 2 * secant) / h;
        curve.coefficients.push_back({bend / h, (secant - slopes[i]) / h - bend, slopes[i], y[i]});
    }
    curve.x = std::move(x);
    return curve;
}

namespace {

// A system of equations with three entries in each row, and a fourth one in the first and the last: the slopes of a
// spline.
struct Tridiagonal {
    explicit Tridiagonal(size_t n) : below(n), middle(n), above(n), right(n) {}

    std::vector<double> below, middle, above, right;

    // Solves it without pivots: the rows of a spline are dominated by their middle, but for the outer ones.
    std::vector<double> solved() {
        const size_t n = middle.size();
        for (size_t i = 1; i < n; ++i) {
            const double factor = below[i] / middle[i - 1];
            middle[i] -= factor * above[i - 1];
            right[i] -= factor * right[i - 1];
        }
        std::vector<double> slopes(n);
        slopes[n - 1] = right[n - 1] / middle[n - 1];
        for (size_t i = n - 1; i-- > 0;) slopes[i] = (right[i] - above[i] * slopes[i + 1]) / middle[i];
        return slopes;
    }
};

}  // namespace

PiecewiseCubic cubicSpline(std::vector<double> x, std::span<const double> y, SplineEnd left, SplineEnd right) {
    const size_t n = x.size();
    CHECK(n >= 3 && y.size() == n) << "a spline has three points or more";
    std::vector<double> h(n - 1), secant(n - 1);
    for (size_t i = 0; i + 1 < n; ++i) {
        h[i] = x[i + 1] - x[i];
        secant[i] = (y[i + 1] - y[i]) / h[i];
    }
    if (n == 3 && left == SplineEnd::NotAKnot && right == SplineEnd::NotAKnot) {
        // One parabola through the three points.
        const double bend = (secant[1] - secant[0]) / (x[2] - x[0]);
        const std::vector<double> slopes = {secant[0] - bend * h[0], secant[0] + bend * h[0], secant[1] + bend * h[1]};
        return hermiteSpline(std::move(x), y, slopes);
    }
    Tridiagonal system(n);
    for (size_t i = 1; i + 1 < n; ++i) {
        system.below[i] = h[i];
        system.middle[i] = 2 * (h[i - 1] + h[i]);
        system.above[i] = h[i - 1];
        system.right[i] = 3 * (h[i] * secant[i - 1] + h[i - 1] * secant[i]);
    }
    switch (left) {
        case SplineEnd::NotAKnot: {
            const double both = h[0] + h[1];
            system.middle[0] = h[1];
            system.above[0] = both;
            system.right[0] = ((h[0] + 2 * both) * h[1] * secant[0] + h[0] * h[0] * secant[1]) / both;
            break;
        }
        case SplineEnd::Clamped:
            system.middle[0] = 1;
            break;
        case SplineEnd::Natural:
            system.middle[0] = 2;
            system.above[0] = 1;
            system.right[0] = 3 * secant[0];
            break;
    }
    switch (right) {
        case SplineEnd::NotAKnot: {
            const double both = h[n - 2] + h[n - 3];
            system.middle[n - 1] = h[n - 3];
            system.below[n - 1] = both;
            system.right[n - 1] =
                (h[n - 2] * h[n - 2] * secant[n - 3] + (2 * both + h[n - 2]) * h[n - 3] * secant[n - 2]) / both;
            break;
        }
        case SplineEnd::Clamped:
            system.middle[n - 1] = 1;
            break;
        case SplineEnd::Natural:
            system.middle[n - 1] = 2;
            system.below[n - 1] = 1;
            system.right[n - 1] = 3 * secant[n - 2];
            break;
    }
    const std::vector<double> slopes = system.solved();
    return hermiteSpline(std::move(x), y, slopes);
}

namespace {

bool haveOneSign(double a, double b) {
    return (a > 0 && b > 0) || (a < 0 && b < 0);
}

// The slope at an end by three points, bounded so that the curve keeps the direction of the first secant.
double endSlope(double h0, double h1, double secant0, double secant1) {
    const double slope = ((2 * h0 + h1) * secant0 - h0 * secant1) / (h0 + h1);
    if (!haveOneSign(slope, secant0)) return 0;
    if (!haveOneSign(secant0, secant1) && std::abs(slope) > 3 * std::abs(secant0)) return 3 * secant0;
    return slope;
}

}  // namespace

PiecewiseCubic monotoneSpline(std::vector<double> x, std::span<const double> y) {
    const size_t n = x.size();
    CHECK(n >= 2 && y.size() == n) << "a curve has two points or more";
    std::vector<double> h(n - 1), secant(n - 1), slopes(n);
    for (size_t i = 0; i + 1 < n; ++i) {
        h[i] = x[i + 1] - x[i];
        secant[i] = (y[i + 1] - y[i]) / h[i];
    }
    if (n == 2) {
        slopes = {secant[0], secant[0]};
        return hermiteSpline(std::move(x), y, slopes);
    }
    for (size_t i = 1; i + 1 < n; ++i) {
        if (!haveOneSign(secant[i - 1], secant[i])) continue;
        // The weighted harmonic mean of both secants.
        const double first = 2 * h[i] + h[i - 1], second = h[i] + 2 * h[i - 1];
        slopes[i] = (first + second) / (first / secant[i - 1] + second / secant[i]);
    }
    slopes[0] = endSlope(h[0], h[1], secant[0], secant[1]);
    slopes[n - 1] = endSlope(h[n - 2], h[n - 3], secant[n - 2], secant[n - 3]);
    return hermiteSpline(std::move(x), y, slopes);
}

}  // namespace pelorus
