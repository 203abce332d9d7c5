// Systems of linear equations over dense matrices, by LAPACK.
#pragma once

#include <vector>

namespace pelorus {

// Solves A X = B for `columns` right-hand sides, in place of `b`; both stand column by column. Returns false when A is
// singular.
bool solveDense(std::vector<double> a, std::vector<double>& b, size_t size, size_t columns = 1);
// Throws UserError when a dense program of so many rows and variables exceeds kMostCells. Call it before building the
// rows.
constexpr size_t kMostCells = 100000000;
void requireDense(size_t rows, size_t variables);
// Returns the lower triangle L with A = L L', zeros above it; empty when A is not positive definite.
std::vector<double> choleskyFactor(std::vector<double> a, size_t size);
// Solves L y = x in place of x, `size` numbers, by a lower triangle that stands column by column.
void solveLower(const std::vector<double>& triangle, size_t size, double* x);
// Returns the eigenvalues of a symmetric matrix, ascending, and puts the vectors in place of it.
std::vector<double> eigenvaluesOf(std::vector<double>& a, size_t size);

}  // namespace pelorus
