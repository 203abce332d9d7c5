#include <algorithm>
#include <cmath>

#include "common/thread/cancellation.h"
#include "stdlib/matrix/dense_solve.h"
#include "stdlib/optimisation/cone_program.h"
#include "stdlib/optimisation/minimizers.h"

namespace pelorus {

namespace {

// The point, with all that a step needs there.
struct Place {
    Point x;
    double value = 0;
    Point gradient;
    Point constraints;  // their values
    Point normals;      // their gradients, column by column
};

double violationOf(double value, bool isEquality) {
    return isEquality ? std::abs(value) : std::max(-value, 0.0);
}

struct Step {
    Point direction, multipliers;
    bool isPossible = false, wasRelaxed = false;
};

// Returns the step to the minimum of the quadratic model under the linear constraints. When these contradict each
// other, they are relaxed by a share that costs.
Step modelStep(const Place& at, const Point& hessian, const Constraints& c, const SequentialOptions& o,
               bool isRelaxed) {
    const size_t n = at.x.size(), all = n + isRelaxed;
    requireDense(c.count + o.low.size() + o.high.size(), all);
    ConeProgram program;
    program.variables = all;
    program.q = at.gradient;
    program.q.resize(all, 0.0);
    program.p.assign(all * all, 0.0);
    for (size_t k = 0; k < n; ++k) {
        for (size_t r = 0; r < n; ++r) program.p[k * all + r] = hessian[k * n + r];
    }
    if (isRelaxed) {
        program.p[all * all - 1] = 1e4;
        std::vector<double> share(all, 0.0);
        share[n] = -1;
        program.addInequality(share, 0);
        share[n] = 1;
        program.addInequality(share, 1);
    }
    for (size_t i = 0; i < c.count; ++i) {
        std::vector<double> row(all, 0.0);
        const double value = at.constraints[i];
        const bool isEquality = i < c.equalities;
        for (size_t k = 0; k < n; ++k) row[k] = (isEquality ? 1 : -1) * at.normals[i * n + k];
        if (isRelaxed && violationOf(value, isEquality) > 0) row[n] = (isEquality ? 1 : -1) * -value;
        if (isEquality)
            program.addEquality(std::move(row), -value);
        else
            program.addInequality(std::move(row), value);
    }
    const size_t constraintRows = program.orthant;
    for (size_t k = 0; k < n && !o.low.empty(); ++k) {
        std::vector<double> row(all, 0.0);
        row[k] = 1;
        if (std::isfinite(o.high[k])) program.addInequality(row, o.high[k] - at.x[k]);
        row[k] = -1;
        if (std::isfinite(o.low[k])) program.addInequality(row, at.x[k] - o.low[k]);
    }
    program.finish();
    const ConeSolution solved = solveCone(program, checkCancelled);
    Step step;
    step.wasRelaxed = isRelaxed;
    step.isPossible = solved.status == ConeStatus::Optimal || solved.status == ConeStatus::Inaccurate;
    if (!step.isPossible) return step;
    step.direction.assign(solved.x.begin(), solved.x.begin() + static_cast<ptrdiff_t>(n));
    for (size_t i = 0; i < c.equalities; ++i) step.multipliers.push_back(-solved.y[i]);
    const size_t first = constraintRows - (c.count - c.equalities);
    for (size_t i = 0; i < c.count - c.equalities; ++i) step.multipliers.push_back(solved.z[first + i]);
    return step;
}

Place placeAt(Objective& objective, const Constraints& c, Point x) {
    Place at{.x = std::move(x)};
    at.value = objective.value(at.x);
    if (c.count > 0) at.constraints = c.values(at.x);
    return at;
}
void addGradients(Objective& objective, const Constraints& c, Place& at) {
    at.gradient = objective.gradient(at.x);
    if (c.count > 0) at.normals = c.gradients(at.x);
}

// Returns the gradient of the Lagrangian.
Point lagrangian(const Place& at, const Point& multipliers) {
    Point g = at.gradient;
    for (size_t i = 0; i < multipliers.size(); ++i) {
        for (size_t k = 0; k < g.size(); ++k) g[k] -= multipliers[i] * at.normals[i * g.size() + k];
    }
    return g;
}

// Powell's damped update, which keeps the matrix positive definite.
void updateHessian(Point& hessian, const Point& step, Point change) {
    const size_t n = step.size();
    Point turned(n, 0.0);
    for (size_t c = 0; c < n; ++c) {
        for (size_t r = 0; r < n; ++r) turned[r] += hessian[c * n + r] * step[c];
    }
    const double curvature = dotProduct(step, turned);
    double along = dotProduct(step, change);
    if (!(curvature > 0)) return;
    if (along < 0.2 * curvature) {
        const double share = 0.8 * curvature / (curvature - along);
        for (size_t i = 0; i < n; ++i) change[i] = share * change[i] + (1 - share) * turned[i];
        along = 0.2 * curvature;
    }
    for (size_t c = 0; c < n; ++c) {
        for (size_t r = 0; r < n; ++r)
            hessian[c * n + r] += change[r] * change[c] / along - turned[r] * turned[c] / curvature;
    }
}

Point identity(size_t n) {
    Point matrix(n * n, 0.0);
    for (size_t i = 0; i < n; ++i) matrix[i * n + i] = 1;
    return matrix;
}

double penaltyOf(const Place& at, const Constraints& c, const Point& weights) {
    double sum = 0;
    for (size_t i = 0; i < c.count; ++i) sum += weights[i] * violationOf(at.constraints[i], i < c.equalities);
    return sum;
}
double violationAt(const Place& at, const Constraints& c) {
    return penaltyOf(at, c, Point(c.count, 1.0));
}

// Goes along a direction until the value with its penalties falls enough; shortens it at most ten times.
Place searchAlong(Objective& objective, const Constraints& c, const SequentialOptions& o, const Place& from,
                  Point& direction, const Point& weights, double slope) {
    const double before = from.value + penaltyOf(from, c, weights);
    double share = 1;
    for (int tries = 1;; ++tries) {
        slope *= share;
        for (double& d : direction) d *= share;
        Point x = moved(from.x, 1, direction);
        for (size_t i = 0; i < x.size() && !o.low.empty(); ++i) x[i] = std::clamp(x[i], o.low[i], o.high[i]);
        Place at = placeAt(objective, c, std::move(x));
        const double rise = at.value + penaltyOf(at, c, weights) - before;
        if (rise <= slope / 10 || tries > 10) return at;
        share = std::isnan(rise) ? 0.1 : std::max(slope / (2 * (slope - rise)), 0.1);
    }
}

}  // namespace

Minimum minimizeSequential(Objective& objective, const Point& start, const Constraints& c, const SequentialOptions& o) {
    const size_t n = start.size();
    Point first = start;
    for (size_t i = 0; i < n && !o.low.empty(); ++i) first[i] = std::clamp(first[i], o.low[i], o.high[i]);
    if (!o.low.empty()) objective.setBounds(o.low, o.high);
    Place at = placeAt(objective, c, first);
    addGradients(objective, c, at);
    Point hessian = identity(n), weights(c.count, 0.0);
    Minimum found;
    found.flag = 9;
    int resets = 0;
    while (found.iterations < o.maxIterations) {
        ++found.iterations;
        Step step = modelStep(at, hessian, c, o, false);
        if (!step.isPossible) step = modelStep(at, hessian, c, o, true);
        if (!step.isPossible) {
            found.flag = 4;
            break;
        }
        const double fall = dotProduct(at.gradient, step.direction);
        double stationary = std::abs(fall);
        for (size_t i = 0; i < c.count; ++i) {
            const double size = std::abs(step.multipliers[i]);
            weights[i] = std::max(size, (weights[i] + size) / 2);
            stationary += size * std::abs(at.constraints[i]);
        }
        if (stationary < o.accuracy && violationAt(at, c) < o.accuracy) {
            found.flag = 0;
            break;
        }
        const double slope = fall - penaltyOf(at, c, weights);
        if (slope >= 0) {
            if (++resets > 5) {
                found.flag = 8;
                break;
            }
            hessian = identity(n);
            continue;
        }
        const Point before = lagrangian(at, step.multipliers);
        Place next = searchAlong(objective, c, o, at, step.direction, weights, slope);
        const bool isDone = (std::abs(next.value - at.value) < o.accuracy || lengthOf(step.direction) < o.accuracy) &&
                            violationAt(next, c) < o.accuracy;
        const Point moveMade = moved(next.x, -1, at.x);
        at = std::move(next);
        if (isDone) {
            found.flag = 0;
            break;
        }
        addGradients(objective, c, at);
        updateHessian(hessian, moveMade, moved(lagrangian(at, step.multipliers), -1, before));
    }
    found.x = at.x;
    found.value = at.value;
    return found;
}

}  // namespace pelorus
