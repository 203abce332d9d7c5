// Eigenvalues of small symmetric matrices.
#pragma once

#include <vector>

namespace pelorus {

struct Eigen {
    std::vector<double> values;   // in no order
    std::vector<double> vectors;  // n by n, row after row; column k belongs to values[k] and has length 1
};

// Decomposes the symmetric matrix `a`, n by n, by Jacobi's method (Golub & Van Loan, 8.5). O(n³) for each of a few
// sweeps.
Eigen symmetricEigen(std::vector<double> a, int n);

}  // namespace pelorus
