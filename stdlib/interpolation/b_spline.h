// Curves as sums of B-splines: polynomials over a few neighbouring knots each.
#pragma once

#include <span>
#include <vector>

namespace pelorus {

// A curve of pieces of `degree`: coefficient i belongs to the B-spline over the knots i … i + degree + 1.
struct BSpline {
    std::vector<double> knots;         // ascending
    std::vector<double> coefficients;  // degree + 1 fewer than knots
    int degree = 3;

    // Returns the value at a point by de Boor's scheme; beyond the ends the outer pieces go on. O(degree² + log knots).
    double at(double point) const;
};

// Returns the piece of the curve that contains a point: the number of the last knot before it that begins a piece.
size_t pieceOf(const std::vector<double>& knots, int degree, double point);
// Returns the values of the degree + 1 B-splines that are not 0 in a piece, at a point.
std::vector<double> basisAt(const std::vector<double>& knots, int degree, size_t piece, double point);

// Returns the cubic curve with these knots between the first and the last point that comes nearest to the points, by
// least squares. Empty when the points do not determine it. REQUIRES: `x` and `inner` ascend. O(points · knots²).
BSpline cubicThrough(const std::vector<double>& x, std::span<const double> y, std::span<const double> inner);

}  // namespace pelorus
