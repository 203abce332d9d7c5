#include "stdlib/time_series/vector_arma.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "stdlib/matrix/dense_solve.h"

namespace pelorus {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

NumberMatrix zeros(size_t rows, size_t columns) {
    return {.cells = std::vector<double>(rows * columns, 0.0), .rows = rows, .columns = columns};
}
NumberMatrix identity(size_t size) {
    NumberMatrix result = zeros(size, size);
    for (size_t i = 0; i < size; ++i) result.at(i, i) = 1;
    return result;
}
NumberMatrix transposed(const NumberMatrix& a) {
    NumberMatrix result = zeros(a.columns, a.rows);
    for (size_t c = 0; c < a.columns; ++c) {
        for (size_t r = 0; r < a.rows; ++r) result.at(c, r) = a.at(r, c);
    }
    return result;
}
// Returns a + scale · b.
NumberMatrix sum(NumberMatrix a, double scale, const NumberMatrix& b) {
    for (size_t i = 0; i < a.cells.size(); ++i) a.cells[i] += scale * b.cells[i];
    return a;
}
NumberMatrix product(const NumberMatrix& a, const NumberMatrix& b) {
    NumberMatrix result = zeros(a.rows, b.columns);
    for (size_t c = 0; c < b.columns; ++c) {
        for (size_t k = 0; k < a.columns; ++k) {
            const double factor = b.at(k, c);
            if (factor == 0) continue;
            for (size_t r = 0; r < a.rows; ++r) result.at(r, c) += a.at(r, k) * factor;
        }
    }
    return result;
}
// Returns a · b · a'.
NumberMatrix around(const NumberMatrix& a, const NumberMatrix& b) {
    return product(product(a, b), transposed(a));
}
// Returns L with A = L L'; all NaN when A is not positive definite.
NumberMatrix rootOf(NumberMatrix a) {
    const size_t size = a.rows;
    std::vector<double> triangle = choleskyFactor(std::move(a.cells), size);
    if (triangle.empty()) triangle.assign(size * size, kNone);
    return {.cells = std::move(triangle), .rows = size, .columns = size};
}
// Returns L^-1 B of a lower triangle L.
NumberMatrix solvedLower(const NumberMatrix& triangle, NumberMatrix b) {
    for (size_t c = 0; c < b.columns; ++c) solveLower(triangle.cells, triangle.rows, b.cells.data() + c * b.rows);
    return b;
}
// Returns B L^-1.
NumberMatrix dividedByLower(const NumberMatrix& b, const NumberMatrix& triangle) {
    // X L = B is L' X' = B'. The triangle turned around both ways is a lower one again.
    const size_t n = triangle.rows;
    NumberMatrix turned = zeros(n, n), right = zeros(n, b.rows);
    for (size_t c = 0; c < n; ++c) {
        for (size_t r = 0; r < n; ++r) turned.at(r, c) = triangle.at(n - 1 - c, n - 1 - r);
        for (size_t r = 0; r < b.rows; ++r) right.at(c, r) = b.at(r, n - 1 - c);
    }
    const NumberMatrix solved = solvedLower(turned, std::move(right));
    NumberMatrix result = zeros(b.rows, n);
    for (size_t c = 0; c < n; ++c) {
        for (size_t r = 0; r < b.rows; ++r) result.at(r, c) = solved.at(n - 1 - c, r);
    }
    return result;
}

double largest(const NumberMatrix& a) {
    double most = 0;
    for (const double cell : a.cells) {
        if (std::isnan(cell)) return cell;
        most = std::max(most, std::abs(cell));
    }
    return most;
}

// The process as a state with one step back: the series of p rows, then the errors of q rows.
struct States {
    NumberMatrix transition, noise;

    explicit States(const VectorArma& process)
        : transition(zeros(process.states(), process.states())), noise(transition) {
        const size_t k = process.width(), lags = std::max<size_t>(process.ar.size(), 1);
        const auto place = [&](const std::vector<NumberMatrix>& terms, size_t first) {
            for (size_t i = 0; i < terms.size(); ++i) {
                for (size_t c = 0; c < k; ++c) {
                    for (size_t r = 0; r < k; ++r) transition.at(r, first + i * k + c) = terms[i].at(r, c);
                }
            }
        };
        place(process.ar, 0);
        place(process.ma, lags * k);
        for (size_t i = k; i < lags * k; ++i) transition.at(i, i - k) = 1;
        for (size_t i = (lags + 1) * k; i < process.states(); ++i) transition.at(i, i - k) = 1;
        const NumberMatrix covariance = product(process.root, transposed(process.root));
        std::vector<size_t> blocks = {0};
        if (!process.ma.empty()) blocks.push_back(lags * k);
        for (const size_t across : blocks) {
            for (const size_t down : blocks) {
                for (size_t c = 0; c < k; ++c) {
                    for (size_t r = 0; r < k; ++r) noise.at(down + r, across + c) = covariance.at(r, c);
                }
            }
        }
    }

    // Returns the covariance of a state without a past, all NaN where there is none: the sum of A^i N A'^i, whose terms
    // are doubled each time.
    NumberMatrix stationary() const {
        constexpr int kMostDoublings = 60;
        NumberMatrix result = noise, power = transition;
        for (int i = 0; i < kMostDoublings; ++i) {
            result = sum(around(power, result), 1, result);
            power = product(power, power);
            const double left = largest(power);
            if (!(left < 1e100)) break;
            if (left < 1e-17) return result;
        }
        result.cells.assign(result.cells.size(), kNone);
        return result;
    }
};

// Solves (I - A) x = b; NaN where A has the eigenvalue 1.
std::vector<double> meanOf(const NumberMatrix& a, std::vector<double> b) {
    if (!solveDense(sum(identity(a.rows), -1, a).cells, b, a.rows)) b.assign(b.size(), kNone);
    return b;
}

}  // namespace

std::vector<NumberMatrix> stationaryMatrices(const std::vector<NumberMatrix>& free) {
    if (free.empty()) return {};
    const size_t k = free[0].rows;
    // Forward and backward autoregressions of rising order of a process whose rows have the covariance I.
    std::vector<NumberMatrix> forward, backward;
    NumberMatrix forwardNoise = identity(k), backwardNoise = identity(k);
    for (const NumberMatrix& any : free) {
        // A partial autocorrelation: all singular values are below 1.
        const NumberMatrix partial = solvedLower(rootOf(sum(identity(k), 1, product(any, transposed(any)))), any);
        const NumberMatrix left = rootOf(forwardNoise), right = rootOf(backwardNoise);
        const NumberMatrix ahead = dividedByLower(product(left, partial), right),
                           back = dividedByLower(product(right, transposed(partial)), left);
        const std::vector<NumberMatrix> before = forward;
        const size_t order = before.size();
        for (size_t i = 0; i < order; ++i)
            forward[i] = sum(std::move(forward[i]), -1, product(ahead, backward[order - 1 - i]));
        for (size_t i = 0; i < order; ++i)
            backward[i] = sum(std::move(backward[i]), -1, product(back, before[order - 1 - i]));
        forward.push_back(ahead);
        backward.push_back(back);
        NumberMatrix nextForward = sum(forwardNoise, -1, around(ahead, backwardNoise));
        backwardNoise = sum(backwardNoise, -1, around(back, forwardNoise));
        forwardNoise = std::move(nextForward);
    }
    // In units in which the errors have the covariance I, every stationary process is one of these.
    const NumberMatrix root = rootOf(forwardNoise);
    for (NumberMatrix& term : forward) term = solvedLower(root, product(term, root));
    return forward;
}

double logLikelihood(const VectorArma& process, const NumberColumns& y, const NumberColumns& intercepts,
                     const std::function<void()>& onBlock) {
    const size_t k = process.width(), m = process.states();
    const States states(process);
    NumberMatrix covariance = states.stationary();
    if (std::isnan(largest(covariance))) return kNone;
    std::vector<double> state(m, 0.0);
    for (size_t r = 0; r < k; ++r) state[r] = intercepts.columns[r][1];
    state = meanOf(states.transition, std::move(state));
    NumberMatrix gain = zeros(m, k), root;
    double logDeterminant = 0, total = 0;
    bool isSteady = false;
    std::vector<double> error(k), next(m);
    for (size_t t = 0; t < y.rows; ++t) {
        if (t % 64 == 0) onBlock();
        if (!isSteady) {
            NumberMatrix seen = zeros(k, k), across = zeros(m, k);
            for (size_t c = 0; c < k; ++c) {
                for (size_t r = 0; r < k; ++r) seen.at(r, c) = covariance.at(r, c);
                for (size_t r = 0; r < m; ++r) across.at(r, c) = covariance.at(r, c);
                if (!process.measurement.empty()) seen.at(c, c) += process.measurement[c];
            }
            root = rootOf(std::move(seen));
            logDeterminant = 0;
            for (size_t r = 0; r < k; ++r) logDeterminant += 2 * std::log(root.at(r, r));
            // Of the gain times the root, which is what whitened errors are multiplied by.
            gain = transposed(solvedLower(root, transposed(across)));
            NumberMatrix left = sum(covariance, -1, product(gain, transposed(gain)));
            left = sum(around(states.transition, left), 1, states.noise);
            const double moves = largest(sum(left, -1, covariance));
            if (std::isnan(moves)) return kNone;
            isSteady = moves <= 1e-15 * largest(left);
            covariance = std::move(left);
        }
        for (size_t r = 0; r < k; ++r) error[r] = y.columns[r][t] - state[r];
        solveLower(root.cells, k, error.data());
        total += logDeterminant;
        for (const double e : error) total += e * e;
        for (size_t c = 0; c < k; ++c) {
            for (size_t r = 0; r < m; ++r) state[r] += gain.at(r, c) * error[c];
        }
        std::ranges::fill(next, 0.0);
        for (size_t c = 0; c < m; ++c) {
            for (size_t r = 0; r < m; ++r) next[r] += states.transition.at(r, c) * state[c];
        }
        if (t + 1 < y.rows) {
            for (size_t r = 0; r < k; ++r) next[r] += intercepts.columns[r][t + 1];
        }
        std::swap(state, next);
    }
    return -(total + static_cast<double>(y.rows * k) * std::log(2 * std::numbers::pi)) / 2;
}

}  // namespace pelorus
