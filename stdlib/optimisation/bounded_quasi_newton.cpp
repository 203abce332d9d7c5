#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>

#include "stdlib/matrix/dense_solve.h"
#include "stdlib/optimisation/line_search.h"
#include "stdlib/optimisation/minimizers.h"

namespace pelorus {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The limited memory of steps and changes of the gradient: B = theta I - W M W', W = [Y, theta S].
struct Memory {
    std::deque<Point> steps, changes;
    double theta = 1;
    Point middle;  // M, column by column

    size_t width() const { return 2 * steps.size(); }
    void forget() {
        steps.clear();
        changes.clear();
        middle.clear();
        theta = 1;
    }
    // Returns row i of W.
    Point row(size_t i) const {
        Point w;
        for (const Point& y : changes) w.push_back(y[i]);
        for (const Point& s : steps) w.push_back(theta * s[i]);
        return w;
    }
    Point timesMiddle(const Point& v) const {
        Point result(v.size(), 0.0);
        for (size_t c = 0; c < v.size(); ++c) {
            for (size_t r = 0; r < v.size(); ++r) result[r] += middle[c * v.size() + r] * v[c];
        }
        return result;
    }
    // Takes a step into the memory. Returns false when the middle matrix became singular.
    bool add(Point step, Point change, size_t most) {
        theta = dotProduct(change, change) / dotProduct(step, change);
        steps.push_back(std::move(step));
        changes.push_back(std::move(change));
        if (steps.size() > most) {
            steps.pop_front();
            changes.pop_front();
        }
        const size_t m = steps.size(), n = 2 * m;
        Point inverse(n * n, 0.0), unit(n * n, 0.0);
        for (size_t i = 0; i < m; ++i) {
            for (size_t k = 0; k < m; ++k) {
                const double product = dotProduct(steps[i], changes[k]);
                if (i == k) inverse[i * n + i] = -product;
                if (i > k) {  // L
                    inverse[k * n + m + i] = product;
                    inverse[(m + i) * n + k] = product;
                }
                inverse[(m + k) * n + m + i] = theta * dotProduct(steps[i], steps[k]);
            }
        }
        for (size_t i = 0; i < n; ++i) unit[i * n + i] = 1;
        if (!solveDense(std::move(inverse), unit, n, n)) return false;
        middle = std::move(unit);
        return true;
    }
};

// The generalized Cauchy point: the first minimum of the model along the projected gradient.
struct CauchyPoint {
    Point x;
    Point along;  // W' (x - start)
};

CauchyPoint cauchyPoint(const Memory& memory, const Point& start, const Point& gradient, const BoundedOptions& o) {
    const size_t n = start.size();
    Point direction(n), ends(n);
    for (size_t i = 0; i < n; ++i) {
        const double g = gradient[i];
        ends[i] = g < 0 ? (start[i] - o.high[i]) / g : g > 0 ? (start[i] - o.low[i]) / g : kInfinity;
        direction[i] = ends[i] <= 0 ? 0 : -g;
    }
    std::vector<size_t> order;
    for (size_t i = 0; i < n; ++i) {
        if (ends[i] > 0) order.push_back(i);
    }
    std::ranges::sort(order, [&](size_t i, size_t k) { return ends[i] < ends[k]; });
    CauchyPoint cauchy{start, Point(memory.width(), 0.0)};
    Point p(memory.width(), 0.0);
    for (size_t i = 0; i < n; ++i) {
        if (direction[i] != 0) p = moved(p, direction[i], memory.row(i));
    }
    double slope = -dotProduct(direction, direction);
    double bend = -memory.theta * slope - dotProduct(p, memory.timesMiddle(p));
    double best = slope == 0 ? 0 : -slope / bend, passed = 0;
    size_t next = 0;
    for (; next < order.size() && best >= ends[order[next]] - passed; ++next) {
        const size_t b = order[next];
        if (ends[b] == kInfinity) break;
        const double width = ends[b] - passed, g = gradient[b];
        cauchy.x[b] = direction[b] > 0 ? o.high[b] : o.low[b];
        cauchy.along = moved(cauchy.along, width, p);
        const Point w = memory.row(b);
        slope += width * bend + g * g + memory.theta * g * (cauchy.x[b] - start[b]) -
                 g * dotProduct(w, memory.timesMiddle(cauchy.along));
        bend += -memory.theta * g * g - 2 * g * dotProduct(w, memory.timesMiddle(p)) -
                g * g * dotProduct(w, memory.timesMiddle(w));
        bend = std::max(bend, std::numeric_limits<double>::min());
        p = moved(p, g, w);
        direction[b] = 0;
        best = slope >= 0 ? 0 : -slope / bend;
        passed = ends[b];
    }
    best = std::max(best, 0.0);
    for (size_t i = 0; i < n; ++i) {
        if (direction[i] != 0) cauchy.x[i] = start[i] + (passed + best) * direction[i];
    }
    cauchy.along = moved(cauchy.along, best, p);
    return cauchy;
}

// Returns the minimum of the model over the coordinates that are free at the Cauchy point.
Point subspaceMinimum(const Memory& memory, const CauchyPoint& cauchy, const Point& start, const Point& gradient,
                      const BoundedOptions& o) {
    const size_t n = start.size(), width = memory.width();
    std::vector<size_t> free;
    for (size_t i = 0; i < n; ++i) {
        if (cauchy.x[i] > o.low[i] && cauchy.x[i] < o.high[i]) free.push_back(i);
    }
    if (free.empty() || width == 0) return cauchy.x;
    const Point pull = memory.timesMiddle(cauchy.along);
    Point v(width, 0.0), inner(width * width, 0.0), reduced;
    std::vector<Point> rows;
    for (const size_t i : free) {
        rows.push_back(memory.row(i));
        const Point& w = rows.back();
        reduced.push_back(gradient[i] + memory.theta * (cauchy.x[i] - start[i]) - dotProduct(w, pull));
        v = moved(v, reduced.back(), w);
        for (size_t c = 0; c < width; ++c) {
            for (size_t r = 0; r < width; ++r) inner[c * width + r] += w[r] * w[c] / memory.theta;
        }
    }
    v = memory.timesMiddle(v);
    Point system(width * width, 0.0);
    for (size_t c = 0; c < width; ++c) {
        const Point column = memory.timesMiddle(Point(inner.begin() + static_cast<ptrdiff_t>(c * width),
                                                      inner.begin() + static_cast<ptrdiff_t>((c + 1) * width)));
        for (size_t r = 0; r < width; ++r) system[c * width + r] = (r == c) - column[r];
    }
    if (!solveDense(std::move(system), v, width)) return cauchy.x;
    Point direction(n, 0.0), projected = cauchy.x;
    for (size_t k = 0; k < free.size(); ++k) {
        const size_t i = free[k];
        direction[i] = -reduced[k] / memory.theta - dotProduct(rows[k], v) / (memory.theta * memory.theta);
        projected[i] = std::clamp(cauchy.x[i] + direction[i], o.low[i], o.high[i]);
    }
    if (dotProduct(moved(projected, -1, start), gradient) <= 0) return projected;
    double most = 1;  // the projected point does not descend: stay within the bounds by a shorter step
    for (const size_t i : free) {
        const double room = direction[i] > 0 ? o.high[i] - cauchy.x[i] : o.low[i] - cauchy.x[i];
        if (direction[i] != 0) most = std::min(most, room / direction[i]);
    }
    return moved(cauchy.x, most, direction);
}

// Returns the largest step that the gradient asks for within the bounds; NaN when the gradient holds a NaN.
double projectedGradient(const Point& x, const Point& gradient, const BoundedOptions& o) {
    double largest = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const double step = std::clamp(x[i] - gradient[i], o.low[i], o.high[i]) - x[i];
        if (std::isnan(step)) return step;
        largest = std::max(largest, std::abs(step));
    }
    return largest;
}

double longestStep(const Point& x, const Point& direction, const BoundedOptions& o) {
    double most = 1e10;
    for (size_t i = 0; i < x.size(); ++i) {
        if (direction[i] < 0) most = std::min(most, (o.low[i] - x[i]) / direction[i]);
        if (direction[i] > 0) most = std::min(most, (o.high[i] - x[i]) / direction[i]);
    }
    return std::max(most, 0.0);
}

// Whether some, and whether all coordinates have bounds.
std::pair<bool, bool> boundsOf(const BoundedOptions& o) {
    bool some = false, all = true;
    for (size_t i = 0; i < o.low.size(); ++i) {
        some |= std::isfinite(o.low[i]) || std::isfinite(o.high[i]);
        all &= std::isfinite(o.low[i]) && std::isfinite(o.high[i]);
    }
    return {some, all};
}

}  // namespace

Minimum minimizeBounded(Objective& objective, const Point& start, const BoundedOptions& given) {
    BoundedOptions o = given;
    const size_t n = start.size();
    if (o.low.empty()) {
        o.low.assign(n, -kInfinity);
        o.high.assign(n, kInfinity);
    }
    const auto [isBounded, isBoxed] = boundsOf(o);
    Minimum found{.x = start};
    for (size_t i = 0; i < n; ++i) found.x[i] = std::clamp(start[i], o.low[i], o.high[i]);
    objective.setBounds(o.low, o.high);
    found.value = objective.value(found.x);
    found.gradient = objective.gradient(found.x);
    Memory memory;
    const double epsilon = std::numeric_limits<double>::epsilon();
    double size = 0;
    while (!((size = projectedGradient(found.x, found.gradient, o)) <= o.gradientTolerance)) {
        if (std::isnan(size)) {  // there is no direction to go in
            found.flag = 2;
            break;
        }
        if (found.iterations >= o.maxIterations || objective.calls() > o.maxCalls) {
            found.flag = 1;
            break;
        }
        const CauchyPoint cauchy = cauchyPoint(memory, found.x, found.gradient, o);
        const Point goal = subspaceMinimum(memory, cauchy, found.x, found.gradient, o);
        const Point direction = moved(goal, -1, found.x);
        const double length = lengthOf(direction), slope = dotProduct(direction, found.gradient);
        const double longest = !isBounded ? 1e10 : found.iterations == 0 ? 1 : longestStep(found.x, direction, o);
        const double first = found.iterations == 0 && !isBoxed ? std::min(1 / length, longest) : 1;
        const LineSearch search{.decrease = 1e-3,
                                .curvature = 0.9,
                                .tolerance = 0.1,
                                .minStep = 0,
                                .maxStep = longest,
                                .maxSteps = o.maxSearchSteps};
        const LineStep step = searchLine(search, {found.value, slope}, first, [&](double at) {
            const Point there = at == 1 ? goal : moved(found.x, at, direction);
            const double value = objective.value(there);
            return LinePoint{value, dotProduct(objective.gradient(there), direction)};
        });
        const Point next = step.step == 1 ? goal : moved(found.x, step.step, direction);
        const double value = step.step > 0 ? objective.value(next) : found.value;
        if (!(step.step > 0) || !(value <= found.value)) {
            if (memory.steps.empty()) {
                found.flag = 2;
                break;
            }
            memory.forget();  // once more, along the gradient
            continue;
        }
        const Point gradient = objective.gradient(next);
        const Point moveMade = moved(next, -1, found.x), change = moved(gradient, -1, found.gradient);
        const double fall = found.value - value;
        const double scale = std::max({std::abs(found.value), std::abs(value), 1.0});
        const double along = dotProduct(moveMade, change);
        const bool curves = along > epsilon * -dotProduct(moveMade, found.gradient);
        found.x = next;
        found.value = value;
        found.gradient = gradient;
        ++found.iterations;
        if (fall <= epsilon * o.factor * scale) break;
        if (curves && !memory.add(moveMade, change, static_cast<size_t>(o.corrections))) memory.forget();
    }
    return found;
}

}  // namespace pelorus
