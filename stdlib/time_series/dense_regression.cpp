#include "stdlib/time_series/dense_regression.h"

#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pelorus {

double DenseRegression::bic() const {
    return -2 * logLikelihood + std::log(static_cast<double>(residuals.size())) * static_cast<double>(beta.size());
}

DenseRegression regress(const std::vector<double>& y, const std::vector<std::vector<double>>& columns) {
    DenseRegression r;
    const size_t n = y.size(), p = columns.size();
    r.residuals = y;
    if (p > 0 && n >= p) {
        std::vector<double> q, scales(p);
        for (const auto& column : columns) q.insert(q.end(), column.begin(), column.end());
        std::vector<double> b = y;
        const auto rows = static_cast<lapack_int>(n), width = static_cast<lapack_int>(p);
        const bool isFinite = std::ranges::all_of(q, [](double v) { return std::isfinite(v); });
        r.isSingular = !isFinite || LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, width, q.data(), rows, scales.data()) != 0;
        double largest = 0;
        for (size_t c = 0; c < p; ++c) largest = std::max(largest, std::abs(q[c * n + c]));
        for (size_t c = 0; c < p; ++c) r.isSingular |= !(std::abs(q[c * n + c]) > 1e-13 * largest);
        if (r.isSingular) return r;
        LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', rows, 1, width, q.data(), rows, scales.data(), b.data(), rows);
        // Back substitution, and the rows of the inverse of R for the standard errors.
        r.beta.assign(p, 0.0);
        for (size_t c = p; c-- > 0;) {
            double sum = b[c];
            for (size_t k = c + 1; k < p; ++k) sum -= q[k * n + c] * r.beta[k];
            r.beta[c] = sum / q[c * n + c];
        }
        std::vector<double> inverse(p * p, 0.0);
        for (size_t k = 0; k < p; ++k) {
            for (size_t c = k + 1; c-- > 0;) {
                double sum = c == k ? 1 : 0;
                for (size_t j = c + 1; j <= k; ++j) sum -= q[j * n + c] * inverse[k * p + j];
                inverse[k * p + c] = sum / q[c * n + c];
            }
        }
        for (size_t c = 0; c < p; ++c) {
            double squares = 0;
            for (size_t k = c; k < p; ++k) squares += inverse[k * p + c] * inverse[k * p + c];
            r.standardError.push_back(std::sqrt(squares));
            for (size_t i = 0; i < n; ++i) r.residuals[i] -= r.beta[c] * columns[c][i];
        }
    } else {
        r.isSingular = p > n;
        if (r.isSingular) return r;
    }
    for (const double e : r.residuals) r.squares += e * e;
    const auto count = static_cast<double>(n);
    const double deviation = std::sqrt(r.squares / (count - static_cast<double>(p)));
    for (double& e : r.standardError) e *= deviation;
    r.logLikelihood = -count / 2 * (std::log(2 * std::numbers::pi * r.squares / count) + 1);
    return r;
}

}  // namespace pelorus
