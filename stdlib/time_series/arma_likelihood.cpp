#include "stdlib/time_series/arma_likelihood.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stdlib/matrix/dense_solve.h"

namespace pelorus {

namespace {

using Numbers = std::vector<double>;

// Multiplies polynomials, lowest power first.
Numbers multiplied(const Numbers& a, const Numbers& b) {
    Numbers product(a.size() + b.size() - 1, 0.0);
    for (size_t i = 0; i < a.size(); ++i) {
        for (size_t k = 0; k < b.size(); ++k) product[i + k] += a[i] * b[k];
    }
    return product;
}
// Returns 1 + sign * (c_1 L^step + c_2 L^2step …).
Numbers lagPolynomial(const Numbers& coefficients, double sign, size_t step) {
    Numbers polynomial(coefficients.size() * step + 1, 0.0);
    polynomial[0] = 1;
    for (size_t i = 0; i < coefficients.size(); ++i) polynomial[(i + 1) * step] = sign * coefficients[i];
    return polynomial;
}

// The state space of a process: a companion matrix, and the loads of its error.
struct StateSpace {
    size_t order;
    Numbers ar, loads;  // of the length of the order

    explicit StateSpace(const ArmaProcess& p) : order(std::max(p.ar.size(), p.ma.size() + 1)), ar(p.ar), loads(p.ma) {
        ar.resize(order, 0.0);
        loads.insert(loads.begin(), 1.0);
        loads.resize(order, 0.0);
    }
    // Returns T P T' of a symmetric matrix.
    Numbers advanced(const Numbers& p) const {
        const size_t r = order;
        Numbers left(r * r), result(r * r);
        for (size_t c = 0; c < r; ++c) {  // T P: row i is ar_i times the first row, and the row below
            for (size_t i = 0; i < r; ++i) left[c * r + i] = ar[i] * p[c * r] + (i + 1 < r ? p[c * r + i + 1] : 0);
        }
        for (size_t i = 0; i < r; ++i) {
            for (size_t c = 0; c < r; ++c)
                result[c * r + i] = left[i] * ar[c] + (c + 1 < r ? left[(c + 1) * r + i] : 0);
        }
        return result;
    }
};

Numbers productOf(const Numbers& a, const Numbers& b, size_t r, bool turned) {
    Numbers c(r * r, 0.0);
    for (size_t j = 0; j < r; ++j) {
        for (size_t k = 0; k < r; ++k) {
            const double factor = turned ? b[k * r + j] : b[j * r + k];
            for (size_t i = 0; i < r && factor != 0; ++i) c[j * r + i] += a[k * r + i] * factor;
        }
    }
    return c;
}

// Returns the covariance of the state of a stationary process by doubling; empty when it has none.
Numbers stationaryCovariance(const StateSpace& s) {
    const size_t r = s.order;
    Numbers power(r * r, 0.0), sum(r * r);
    for (size_t i = 0; i < r; ++i) {
        power[i] = s.ar[i];
        if (i + 1 < r) power[(i + 1) * r + i] = 1;
        for (size_t c = 0; c < r; ++c) sum[c * r + i] = s.loads[i] * s.loads[c];
    }
    for (int k = 0; k < 60; ++k) {
        const Numbers more = productOf(productOf(power, sum, r, false), power, r, true);
        double size = 0, added = 0;
        for (size_t i = 0; i < sum.size(); ++i) {
            sum[i] += more[i];
            size = std::max(size, std::abs(sum[i]));
            added = std::max(added, std::abs(more[i]));
        }
        if (!std::isfinite(size) || size > 1e12) return {};
        if (added <= 1e-15 * size) return sum;
        power = productOf(power, power, r, false);
    }
    return {};
}

}  // namespace

ArmaProcess seasonalProcess(const ArmaProcess& steps, const ArmaProcess& seasons, size_t period) {
    ArmaProcess all;
    all.ar = multiplied(lagPolynomial(steps.ar, -1, 1), lagPolynomial(seasons.ar, -1, period));
    all.ma = multiplied(lagPolynomial(steps.ma, 1, 1), lagPolynomial(seasons.ma, 1, period));
    for (double& c : all.ar) c = -c;
    all.ar.erase(all.ar.begin());
    all.ma.erase(all.ma.begin());
    return all;
}

std::vector<double> stationaryCoefficients(const std::vector<double>& free) {
    Numbers coefficients;
    for (const double x : free) {
        const double partial = x / std::sqrt(1 + x * x);
        const Numbers before = coefficients;
        for (size_t i = 0; i < before.size(); ++i) coefficients[i] -= partial * before[before.size() - 1 - i];
        coefficients.push_back(partial);
    }
    return coefficients;
}

ArmaLikelihood armaLikelihood(const std::vector<double>& y, const std::vector<std::vector<double>>& regressors,
                              const ArmaProcess& process, const std::function<void()>& onBlock) {
    const StateSpace s(process);
    const size_t r = s.order, n = y.size(), width = 1 + regressors.size();
    ArmaLikelihood result;
    Numbers p = stationaryCovariance(s);
    if (p.empty()) return result;
    // The states of y and of each regressor, whose filters share their gain.
    std::vector<Numbers> states(width, Numbers(r, 0.0)), innovations(width, Numbers(n));
    double logs = 0;
    Numbers gain(r);
    bool isSteady = false;
    double variance = 0;
    for (size_t t = 0; t < n; ++t) {
        if (t % 4096 == 0) onBlock();
        if (!isSteady) {
            variance = p[0];
            for (size_t i = 0; i < r; ++i) gain[i] = (s.ar[i] * p[0] + (i + 1 < r ? p[i + 1] : 0)) / variance;
        }
        if (!(variance > 0)) return result;
        logs += std::log(variance);
        for (size_t k = 0; k < width; ++k) {
            Numbers& a = states[k];
            const double v = (k == 0 ? y[t] : regressors[k - 1][t]) - a[0], first = a[0];
            innovations[k][t] = v / std::sqrt(variance);
            for (size_t i = 0; i < r; ++i) a[i] = s.ar[i] * first + (i + 1 < r ? a[i + 1] : 0) + gain[i] * v;
        }
        if (isSteady) continue;
        Numbers next = s.advanced(p);
        double change = 0;
        for (size_t c = 0; c < r; ++c) {
            for (size_t i = 0; i < r; ++i) {
                double& cell = next[c * r + i];
                cell += s.loads[i] * s.loads[c] - gain[i] * gain[c] * variance;
                change = std::max(change, std::abs(cell - p[c * r + i]));
            }
        }
        p = std::move(next);
        isSteady = change < 1e-14;
    }
    // Generalized least squares over the innovations.
    Numbers normal, right;
    for (size_t c = 1; c < width; ++c) {
        for (size_t k = 1; k < width; ++k) {
            double sum = 0;
            for (size_t t = 0; t < n; ++t) sum += innovations[c][t] * innovations[k][t];
            normal.push_back(sum);
        }
        double sum = 0;
        for (size_t t = 0; t < n; ++t) sum += innovations[c][t] * innovations[0][t];
        right.push_back(sum);
    }
    if (!solveDense(std::move(normal), right, width - 1)) return result;
    double squares = 0;
    for (size_t t = 0; t < n; ++t) {
        double v = innovations[0][t];
        for (size_t k = 1; k < width; ++k) v -= right[k - 1] * innovations[k][t];
        squares += v * v;
    }
    const auto count = static_cast<double>(n);
    result.variance = squares / count;
    result.coefficients = right;
    result.logLikelihood = -count / 2 * (std::log(2 * std::numbers::pi * result.variance) + 1) - logs / 2;
    result.exists = std::isfinite(result.logLikelihood);
    return result;
}

}  // namespace pelorus
