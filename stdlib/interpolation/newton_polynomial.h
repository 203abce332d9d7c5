// The polynomial through points, some of them with derivatives.
#pragma once

#include <span>
#include <vector>

namespace pelorus {

// A polynomial in Newton's form: c[0] + c[1] (X - x[0]) + c[2] (X - x[0]) (X - x[1]) + …
struct NewtonPolynomial {
    std::vector<double> x;             // ascending
    std::vector<double> coefficients;  // one for each x

    // Returns the derivative of this order at a point; order 0 is the value. O(n · (order + 1)).
    double derivative(double point, int order) const;
};

// Returns the polynomial of least degree through the points. Where an x occurs several times, the values after its
// first one are the first, second … derivatives there. REQUIRES: `x` ascends. O(n²).
NewtonPolynomial polynomialThrough(std::vector<double> x, std::span<const double> y);

}  // namespace pelorus
