#include "stdlib/interpolation/b_spline.h"

#include <lapacke.h>

#include <algorithm>

#include "common/check.h"

namespace pelorus {

size_t pieceOf(const std::vector<double>& knots, int degree, double point) {
    const auto k = static_cast<size_t>(degree);
    CHECK(knots.size() > 2 * k + 1) << "a curve has a piece";
    const auto first = knots.begin() + static_cast<std::ptrdiff_t>(k) + 1;
    const auto last = knots.end() - static_cast<std::ptrdiff_t>(k) - 1;
    return static_cast<size_t>(std::upper_bound(first, last, point) - knots.begin()) - 1;
}

std::vector<double> basisAt(const std::vector<double>& knots, int degree, size_t piece, double point) {
    const auto k = static_cast<size_t>(degree);
    std::vector<double> values(k + 1), left(k + 1), right(k + 1);
    values[0] = 1;
    for (size_t j = 1; j <= k; ++j) {
        left[j] = point - knots[piece + 1 - j];
        right[j] = knots[piece + j] - point;
        double saved = 0;
        for (size_t r = 0; r < j; ++r) {
            const double width = right[r + 1] + left[j - r];
            const double part = width == 0 ? 0 : values[r] / width;
            values[r] = saved + right[r + 1] * part;
            saved = left[j - r] * part;
        }
        values[j] = saved;
    }
    return values;
}

double BSpline::at(double point) const {
    const size_t piece = pieceOf(knots, degree, point);
    const std::vector<double> basis = basisAt(knots, degree, piece, point);
    double value = 0;
    for (size_t j = 0; j < basis.size(); ++j) value += basis[j] * coefficients[piece - static_cast<size_t>(degree) + j];
    return value;
}

BSpline cubicThrough(const std::vector<double>& x, std::span<const double> y, std::span<const double> inner) {
    constexpr int kDegree = 3;
    CHECK(x.size() == y.size() && x.size() > kDegree) << "a cubic curve has four points or more";
    BSpline curve;
    curve.knots.assign(kDegree + 1, x.front());
    curve.knots.insert(curve.knots.end(), inner.begin(), inner.end());
    curve.knots.insert(curve.knots.end(), kDegree + 1, x.back());
    const size_t columns = curve.knots.size() - kDegree - 1, rows = x.size();
    if (columns > rows) return {};
    std::vector<double> matrix(rows * columns);
    for (size_t i = 0; i < rows; ++i) {
        const size_t piece = pieceOf(curve.knots, kDegree, x[i]);
        const std::vector<double> basis = basisAt(curve.knots, kDegree, piece, x[i]);
        for (size_t j = 0; j < basis.size(); ++j) matrix[(piece - kDegree + j) * rows + i] = basis[j];
    }
    std::vector<double> values(y.begin(), y.end()), singular(columns);
    const auto m = static_cast<lapack_int>(rows), n = static_cast<lapack_int>(columns);
    lapack_int rank = 0;
    const lapack_int failed =
        LAPACKE_dgelsd(LAPACK_COL_MAJOR, m, n, 1, matrix.data(), m, values.data(), m, singular.data(), -1, &rank);
    if (failed != 0 || rank < n) return {};
    curve.coefficients.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(columns));
    return curve;
}

}  // namespace pelorus
