#include "stdlib/matrix/dense_solve.h"

#include <fmt/format.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"

namespace pelorus {

namespace {
bool isFinite(const std::vector<double>& cells) {
    return std::ranges::all_of(cells, [](double v) { return std::isfinite(v); });
}
}  // namespace

bool solveDense(std::vector<double> a, std::vector<double>& b, size_t size, size_t columns) {
    if (size == 0 || columns == 0) return true;
    if (!isFinite(a) || !isFinite(b)) return false;
    std::vector<lapack_int> pivots(size);
    const auto n = static_cast<lapack_int>(size);
    return LAPACKE_dgesv(LAPACK_COL_MAJOR, n, static_cast<lapack_int>(columns), a.data(), n, pivots.data(), b.data(),
                         n) == 0;
}

void requireDense(size_t rows, size_t variables) {
    if (variables == 0 || rows <= kMostCells / variables) return;
    throw UserError(
        fmt::format("A program of {} rows and {} variables has more than {} cells.", rows, variables, kMostCells),
        "Give fewer variables, constraints or bounds.");
}

std::vector<double> choleskyFactor(std::vector<double> a, size_t size) {
    if (size == 0 || !isFinite(a)) return {};
    const auto n = static_cast<lapack_int>(size);
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, a.data(), n) != 0) return {};
    for (size_t c = 1; c < size; ++c) std::fill_n(a.begin() + static_cast<ptrdiff_t>(c * size), c, 0.0);
    return a;
}

void solveLower(const std::vector<double>& triangle, size_t size, double* x) {
    for (size_t r = 0; r < size; ++r) {
        for (size_t c = 0; c < r; ++c) x[r] -= triangle[c * size + r] * x[c];
        x[r] /= triangle[r * size + r];
    }
}

std::vector<double> eigenvaluesOf(std::vector<double>& a, size_t size) {
    std::vector<double> values(size);
    if (size == 0 || !isFinite(a)) return {};
    const auto n = static_cast<lapack_int>(size);
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', n, a.data(), n, values.data()) != 0) return {};
    return values;
}

}  // namespace pelorus
