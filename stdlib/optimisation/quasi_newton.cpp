#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/optimisation/line_search.h"
#include "stdlib/optimisation/minimizers.h"

namespace pelorus {

namespace {

double normOf(const Point& x, double order) {
    double largest = 0, sum = 0;
    for (const double v : x) {
        if (std::isnan(v)) return v;
        largest = std::max(largest, std::abs(v));
        if (order > 0) sum += std::pow(std::abs(v), order);
    }
    return order > 0 ? std::pow(sum, 1 / order) : largest;
}

Point product(const Point& matrix, const Point& x) {
    const size_t n = x.size();
    Point result(n, 0.0);
    for (size_t c = 0; c < n; ++c) {
        for (size_t r = 0; r < n; ++r) result[r] += matrix[c * n + r] * x[c];
    }
    return result;
}

bool isOdd(const Point& x) {
    return std::ranges::any_of(x, [](double v) { return std::isnan(v); });
}

// Where a descent stands: the point, the value there and one step before, which the first step tried is guessed from.
struct Descent {
    Point x;
    double value, before;

    // Goes along the direction; returns the step, 0 when none was found.
    double go(Objective& objective, const LineSearch& search, const Point& direction) {
        const double slope = dotProduct(objective.gradient(x), direction);
        double first = std::isnan(before) || slope == 0 ? 1 : std::min(1.0, 1.01 * 2 * (value - before) / slope);
        if (first < 0) first = 1;
        double last = value;
        const LineStep found = searchLine(search, {value, slope}, first, [&](double step) {
            const Point there = moved(x, step, direction);
            last = objective.value(there);
            return LinePoint{last, dotProduct(objective.gradient(there), direction)};
        });
        if (!found.found) return 0;
        x = moved(x, found.step, direction);
        before = value;
        value = objective.value(x);
        return found.step;
    }
};

// Updates the inverse of the Hessian by a step and the change of the gradient along it.
void updateInverse(Point& inverse, const Point& step, const Point& change) {
    const size_t n = step.size();
    const double along = dotProduct(change, step), rho = along == 0 ? 1000 : 1 / along;
    const Point turned = product(inverse, change);
    const double factor = rho * rho * dotProduct(change, turned) + rho;
    for (size_t c = 0; c < n; ++c) {
        for (size_t r = 0; r < n; ++r)
            inverse[c * n + r] += factor * step[r] * step[c] - rho * (turned[r] * step[c] + step[r] * turned[c]);
    }
}

// Returns the direction of Newton's method, by conjugate gradients; empty when these do not converge.
Point newtonDirection(const Point& gradient, const Point& hessian) {
    const size_t n = gradient.size();
    Point direction(n, 0.0), residual = gradient, search = moved(Point(n, 0.0), -1, gradient);
    const double size = normOf(gradient, 1), wanted = std::min(0.5, std::sqrt(size)) * size;
    double squares = dotProduct(residual, residual);
    for (size_t i = 0; i < 20 * n; ++i) {
        if (normOf(residual, 1) <= wanted) return direction;
        const Point turned = product(hessian, search);
        const double curvature = dotProduct(search, turned);
        if (curvature >= 0 && curvature <= 3 * std::numeric_limits<double>::epsilon()) return direction;
        if (curvature < 0) return i > 0 ? direction : moved(direction, -squares / -curvature, gradient);
        const double step = squares / curvature;
        direction = moved(direction, step, search);
        residual = moved(residual, step, turned);
        const double next = dotProduct(residual, residual);
        for (size_t k = 0; k < n; ++k) search[k] = next / squares * search[k] - residual[k];
        squares = next;
    }
    return {};
}

}  // namespace

Minimum minimizeBfgs(Objective& objective, const Point& start, const QuasiNewtonOptions& o) {
    const size_t n = start.size();
    const int64_t maxIterations = o.maxIterations.value_or(200 * static_cast<int64_t>(n));
    Point inverse(n * n, 0.0);
    for (size_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
    Descent descent{start, objective.value(start), 0};
    Point gradient = objective.gradient(start);
    descent.before = descent.value + lengthOf(gradient) / 2;
    const LineSearch search{.decrease = o.decrease, .curvature = o.curvature};
    Minimum found;
    double size = normOf(gradient, o.norm);
    while (size > o.gradientTolerance && found.iterations < maxIterations) {
        const Point direction = moved(Point(n, 0.0), -1, product(inverse, gradient)), before = descent.x;
        const double step = descent.go(objective, search, direction);
        if (step == 0) {
            found.flag = 2;
            break;
        }
        const Point change = moved(objective.gradient(descent.x), -1, gradient);
        gradient = objective.gradient(descent.x);
        ++found.iterations;
        size = normOf(gradient, o.norm);
        if (size <= o.gradientTolerance) break;
        if (step * normOf(direction, o.norm) <= o.xTolerance * (o.xTolerance + normOf(descent.x, o.norm))) break;
        if (!std::isfinite(descent.value)) {
            found.flag = 2;
            break;
        }
        updateInverse(inverse, moved(descent.x, -1, before), change);
    }
    if (found.flag == 0 && found.iterations >= maxIterations && size > o.gradientTolerance) found.flag = 1;
    if (found.flag == 0 && (std::isnan(size) || std::isnan(descent.value) || isOdd(descent.x))) found.flag = 3;
    found.x = descent.x;
    found.value = descent.value;
    found.gradient = gradient;
    found.inverseHessian = inverse;
    return found;
}

Minimum minimizeNewton(Objective& objective, const Point& start, const QuasiNewtonOptions& o) {
    const size_t n = start.size();
    const int64_t maxIterations = o.maxIterations.value_or(200 * static_cast<int64_t>(n));
    Descent descent{start, objective.value(start), std::numeric_limits<double>::quiet_NaN()};
    const LineSearch search{.decrease = o.decrease, .curvature = o.curvature, .minStep = 1e-8, .maxStep = 50};
    Minimum found;
    double change = std::numeric_limits<double>::max();
    while (change > o.xTolerance * static_cast<double>(n)) {
        if (found.iterations >= maxIterations) {
            found.flag = 1;
            break;
        }
        const Point gradient = objective.gradient(descent.x);
        const Point direction = newtonDirection(gradient, objective.hessian(descent.x));
        if (direction.empty() || isOdd(direction)) {
            found.flag = 3;
            break;
        }
        const double step = normOf(direction, 0) == 0 ? 1 : descent.go(objective, search, direction);
        if (step == 0) {
            found.flag = 2;
            break;
        }
        ++found.iterations;
        change = step * normOf(direction, 1);
    }
    if (found.flag == 0 && (std::isnan(descent.value) || isOdd(descent.x))) found.flag = 3;
    found.x = descent.x;
    found.value = descent.value;
    found.gradient = objective.gradient(descent.x);
    return found;
}

}  // namespace pelorus
