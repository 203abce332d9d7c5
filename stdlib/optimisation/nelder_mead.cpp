#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stdlib/optimisation/minimizers.h"

namespace pelorus {

namespace {

constexpr double kReflection = 1, kExpansion = 2, kContraction = 0.5, kShrinking = 0.5;

// Corners of the simplex with the values there, best first.
struct Simplex {
    std::vector<Point> corners;
    std::vector<double> values;

    void sort() {
        std::vector<size_t> order(values.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::stable_sort(order, [&](size_t i, size_t k) { return values[i] < values[k]; });
        Simplex sorted;
        for (const size_t i : order) {
            sorted.corners.push_back(std::move(corners[i]));
            sorted.values.push_back(values[i]);
        }
        *this = std::move(sorted);
    }
    void replaceWorst(Point corner, double value) {
        corners.back() = std::move(corner);
        values.back() = value;
    }
    bool isSmall(const NelderMeadOptions& o) const {
        double width = 0, spread = 0;
        for (size_t i = 1; i < corners.size(); ++i) {
            for (size_t k = 0; k < corners[i].size(); ++k)
                width = std::max(width, std::abs(corners[i][k] - corners[0][k]));
            spread = std::max(spread, std::abs(values[0] - values[i]));
        }
        return width <= o.xTolerance && spread <= o.valueTolerance;
    }
};

// Returns (1 + by) * centre - by * worst.
Point mirrored(const Point& centre, const Point& worst, double by) {
    Point result(centre.size());
    for (size_t i = 0; i < centre.size(); ++i) result[i] = (1 + by) * centre[i] - by * worst[i];
    return result;
}

// Draws all corners towards the best one.
void shrink(Objective& objective, Simplex& s) {
    for (size_t i = 1; i < s.corners.size(); ++i) {
        for (size_t k = 0; k < s.corners[i].size(); ++k)
            s.corners[i][k] = s.corners[0][k] + kShrinking * (s.corners[i][k] - s.corners[0][k]);
        s.values[i] = objective.value(s.corners[i]);
    }
}

void improve(Objective& objective, Simplex& s) {
    const size_t n = s.corners.size() - 1;
    Point centre(n, 0.0);
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < n; ++k) centre[k] += s.corners[i][k];
    }
    for (double& c : centre) c /= static_cast<double>(n);
    const Point worst = s.corners.back();
    Point reflected = mirrored(centre, worst, kReflection);
    const double value = objective.value(reflected);
    if (value < s.values[0]) {
        Point expanded = mirrored(centre, worst, kReflection * kExpansion);
        const double further = objective.value(expanded);
        if (further < value)
            s.replaceWorst(std::move(expanded), further);
        else
            s.replaceWorst(std::move(reflected), value);
        return;
    }
    if (value < s.values[n - 1]) return s.replaceWorst(std::move(reflected), value);
    const bool isOutside = value < s.values[n];
    Point contracted = mirrored(centre, worst, isOutside ? kContraction * kReflection : -kContraction);
    const double nearer = objective.value(contracted);
    if (isOutside ? nearer <= value : nearer < s.values[n]) return s.replaceWorst(std::move(contracted), nearer);
    shrink(objective, s);
}

}  // namespace

Minimum minimizeNelderMead(Objective& objective, const Point& start, const NelderMeadOptions& o) {
    constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
    const int64_t usual = 200 * static_cast<int64_t>(start.size());
    const int64_t maxIterations = o.maxIterations.value_or(o.maxCalls ? kUnlimited : usual);
    const int64_t maxCalls = o.maxCalls.value_or(o.maxIterations ? kUnlimited : usual);
    Simplex s;
    s.corners.assign(start.size() + 1, start);
    for (size_t k = 0; k < start.size(); ++k) {
        double& moved = s.corners[k + 1][k];
        moved = moved != 0 ? 1.05 * moved : 0.00025;
    }
    for (const Point& corner : s.corners) s.values.push_back(objective.value(corner));
    s.sort();
    int64_t iterations = 1;
    while (objective.calls() < maxCalls && iterations < maxIterations && !s.isSmall(o)) {
        improve(objective, s);
        s.sort();
        ++iterations;
    }
    const int flag = objective.calls() >= maxCalls ? 1 : iterations >= maxIterations ? 2 : 0;
    return {.x = s.corners[0], .value = s.values[0], .iterations = iterations, .flag = flag};
}

}  // namespace pelorus
