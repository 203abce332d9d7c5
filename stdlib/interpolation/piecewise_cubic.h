// Curves made of a cubic polynomial between each two neighbouring points.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace pelorus {

// Between x[i] and x[i + 1] the curve is c[0] t^3 + c[1] t^2 + c[2] t + c[3] with t = X - x[i] and the coefficients of
// piece i.
struct PiecewiseCubic {
    std::vector<double> x;  // strictly ascending, at least two
    std::vector<std::array<double, 4>> coefficients;

    // Returns the value at a point; beyond the ends the outer pieces go on.
    double at(double point) const;
};

// The condition at an end of a spline.
enum class SplineEnd : uint8_t {
    NotAKnot,  // the two outermost pieces are one polynomial
    Clamped,   // the slope is 0
    Natural,   // the curvature is 0
};

// Returns the curve with these values and slopes at the points.
PiecewiseCubic hermiteSpline(std::vector<double> x, std::span<const double> y, std::span<const double> slopes);
// Returns the curve through the points whose first two derivatives are continuous. REQUIRES: three points or more.
// O(n).
PiecewiseCubic cubicSpline(std::vector<double> x, std::span<const double> y, SplineEnd left, SplineEnd right);
// Returns the curve through the points that rises and falls only where they do (Fritsch, Butland 1984).
PiecewiseCubic monotoneSpline(std::vector<double> x, std::span<const double> y);

}  // namespace pelorus
