#include "stdlib/models/penalized_regression.h"

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "stdlib/matrix/dense_solve.h"

namespace pelorus {

namespace {

// X'X and X'y, centred when there is an intercept, with scaled factors when they are normalized.
struct Gram {
    std::vector<double> xx, xy, scales;
    double yy = 0;
    size_t width = 0;
};

Gram gramOf(const LeastSquares& m, const PenaltyOptions& o) {
    Gram g;
    const int p = m.factors();
    g.width = static_cast<size_t>(p);
    const auto product = [&](int i, int j) {
        return m.centredMoment(i, j) + (o.intercept ? 0 : m.weight() * m.mean(i) * m.mean(j));
    };
    for (int i = 0; i < p; ++i) {
        const double length = std::sqrt(m.centredMoment(i, i));
        g.scales.push_back(o.normalize && o.intercept && length > 0 ? length : 1);
    }
    g.xx.resize(g.width * g.width);
    for (int i = 0; i < p; ++i) {
        const auto a = static_cast<size_t>(i);
        for (int j = 0; j < p; ++j) {
            const auto b = static_cast<size_t>(j);
            g.xx[a * g.width + b] = product(i, j) / g.scales[a] / g.scales[b];
        }
        g.xy.push_back(product(i, p) / g.scales[a]);
    }
    g.yy = product(p, p);
    return g;
}

PenalizedFit unscaled(const LeastSquares& m, const PenaltyOptions& o, const Gram& g, std::vector<double> w) {
    PenalizedFit fit;
    fit.coefficients = std::move(w);
    for (size_t i = 0; i < g.width; ++i) fit.coefficients[i] /= g.scales[i];
    if (o.intercept) {
        fit.intercept = m.mean(m.factors());
        for (size_t i = 0; i < g.width; ++i) fit.intercept -= fit.coefficients[i] * m.mean(static_cast<int>(i));
    }
    return fit;
}

// The distance of the value from the least that it may have; `left` is X'(y - Xw).
double dualGap(const Gram& g, const std::vector<double>& w, const std::vector<double>& left, double l1, double l2,
               bool positive) {
    double largest = 0, fitted = 0, squares = 0, absolute = 0;
    for (size_t i = 0; i < w.size(); ++i) {
        const double slope = left[i] - l2 * w[i];
        largest = std::max(largest, positive ? slope : std::abs(slope));
        fitted += w[i] * g.xy[i];
        squares += w[i] * w[i];
        absolute += std::abs(w[i]);
    }
    double alongLeft = 0;
    for (size_t i = 0; i < w.size(); ++i) alongLeft += w[i] * left[i];
    const double rest = std::max(0.0, g.yy - fitted - alongLeft);  // |y - Xw|²
    const double ofY = g.yy - fitted;                              // (y - Xw)'y
    const double scale = largest > l1 ? l1 / largest : 1;
    const double gap = largest > l1 ? (rest + rest * scale * scale) / 2 : rest;
    return gap + l1 * absolute - scale * ofY + l2 * (1 + scale * scale) * squares / 2;
}

}  // namespace

PenalizedFit fitElasticNet(const LeastSquares& moments, const PenaltyOptions& o,
                           const std::function<void()>& onIteration) {
    const Gram g = gramOf(moments, o);
    const auto n = static_cast<double>(moments.count());
    // Weights count as if they were one on average.
    const double weight = moments.weight() > 0 ? moments.weight() / n : 1;
    const double l1 = o.alpha * o.l1Ratio * n * weight, l2 = o.alpha * (1 - o.l1Ratio) * n * weight;
    std::vector<double> w(g.width, 0.0), left = g.xy;
    double gap = 0;
    int64_t iterations = 0;
    while (iterations < o.maxIterations) {
        onIteration();
        ++iterations;
        double largest = 0, change = 0;
        for (size_t i = 0; i < g.width; ++i) {
            const double square = g.xx[i * g.width + i];
            if (square == 0) continue;
            const double pull = left[i] + square * w[i];
            double next = std::copysign(std::max(std::abs(pull) - l1, 0.0), pull) / (square + l2);
            if (o.positive && pull < 0) next = 0;
            const double by = next - w[i];
            if (by != 0) {
                for (size_t k = 0; k < g.width; ++k) left[k] -= by * g.xx[i * g.width + k];
            }
            w[i] = next;
            largest = std::max(largest, std::abs(next));
            change = std::max(change, std::abs(by));
        }
        const bool standsStill = largest == 0 || change / largest < o.tolerance || iterations == o.maxIterations;
        if (!standsStill) continue;
        gap = dualGap(g, w, left, l1, l2, o.positive);
        if (gap < o.tolerance * g.yy) break;
    }
    PenalizedFit fit = unscaled(moments, o, g, std::move(w));
    fit.dualGap = gap / (n * weight);
    fit.iterations = iterations;
    return fit;
}

PenalizedFit fitRidge(const LeastSquares& moments, const PenaltyOptions& o) {
    const Gram g = gramOf(moments, o);
    std::vector<double> system = g.xx, w = g.xy;
    for (size_t i = 0; i < g.width; ++i) system[i * g.width + i] += o.alpha;
    if (!solveDense(std::move(system), w, g.width))
        throw UserError("The factors follow from each other.", "Give alpha above 0.");
    return unscaled(moments, o, g, std::move(w));
}

double squaresLeft(const LeastSquares& m, const PenalizedFit& fit) {
    const int p = m.factors();
    double bias = m.mean(p) - fit.intercept, squares = m.centredMoment(p, p);
    for (int i = 0; i < p; ++i) {
        const double b = fit.coefficients[static_cast<size_t>(i)];
        bias -= b * m.mean(i);
        squares -= 2 * b * m.centredMoment(i, p);
        for (int j = 0; j < p; ++j) squares += b * fit.coefficients[static_cast<size_t>(j)] * m.centredMoment(i, j);
    }
    return std::max(0.0, squares) + m.weight() * bias * bias;
}

}  // namespace pelorus
