#include "stdlib/optimisation/line_search.h"

#include <algorithm>
#include <cmath>

namespace pelorus {

namespace {

// The interval that holds a minimizer: its best end, the other end, and whether both are known.
struct Bracket {
    double best = 0, bestValue, bestSlope;
    double other = 0, otherValue, otherSlope;
    bool isClosed = false;
};

// The cubic through two ends with values and slopes: the quantities that its minimizer is computed from.
struct Cubic {
    double theta, gamma;
    Cubic(double rise, double width, double slope1, double slope2) : theta(3 * rise / width + slope1 + slope2) {
        const double scale = std::max({std::abs(theta), std::abs(slope1), std::abs(slope2)});
        const double ratio = theta / scale;
        gamma = scale * std::sqrt(std::max(0.0, ratio * ratio - slope1 / scale * (slope2 / scale)));
    }
};

// Returns the next step to try, from the ends and a step with its value and slope, and moves the ends.
double nextStep(Bracket& b, double step, double value, double slope, double low, double high) {
    const bool turns = slope * (b.bestSlope / std::abs(b.bestSlope)) < 0;
    double next;
    if (value > b.bestValue) {  // a minimum lies between
        auto [theta, gamma] = Cubic(b.bestValue - value, step - b.best, b.bestSlope, slope);
        if (step < b.best) gamma = -gamma;
        const double r = (gamma - b.bestSlope + theta) / (gamma - b.bestSlope + gamma + slope);
        const double byCubic = b.best + r * (step - b.best);
        const double byQuadratic =
            b.best + b.bestSlope / ((b.bestValue - value) / (step - b.best) + b.bestSlope) / 2 * (step - b.best);
        next = std::abs(byCubic - b.best) < std::abs(byQuadratic - b.best) ? byCubic
                                                                           : byCubic + (byQuadratic - byCubic) / 2;
        b.isClosed = true;
    } else if (turns) {
        auto [theta, gamma] = Cubic(b.bestValue - value, step - b.best, b.bestSlope, slope);
        if (step > b.best) gamma = -gamma;
        const double r = (gamma - slope + theta) / (gamma - slope + gamma + b.bestSlope);
        const double byCubic = step + r * (b.best - step);
        const double bySecant = step + slope / (slope - b.bestSlope) * (b.best - step);
        next = std::abs(byCubic - step) > std::abs(bySecant - step) ? byCubic : bySecant;
        b.isClosed = true;
    } else if (std::abs(slope) < std::abs(b.bestSlope)) {
        auto [theta, gamma] = Cubic(b.bestValue - value, step - b.best, b.bestSlope, slope);
        if (step > b.best) gamma = -gamma;
        const double r = (gamma - slope + theta) / (gamma + (b.bestSlope - slope) + gamma);
        const double byCubic = r < 0 && gamma != 0 ? step + r * (b.best - step) : step > b.best ? high : low;
        const double bySecant = step + slope / (slope - b.bestSlope) * (b.best - step);
        if (b.isClosed) {
            next = std::abs(byCubic - step) < std::abs(bySecant - step) ? byCubic : bySecant;
            const double limit = step + 0.66 * (b.other - step);
            next = step > b.best ? std::min(limit, next) : std::max(limit, next);
        } else {
            next = std::abs(byCubic - step) > std::abs(bySecant - step) ? byCubic : bySecant;
            next = std::clamp(next, low, high);
        }
    } else if (b.isClosed) {
        auto [theta, gamma] = Cubic(value - b.otherValue, b.other - step, b.otherSlope, slope);
        if (step > b.other) gamma = -gamma;
        const double r = (gamma - slope + theta) / (gamma - slope + gamma + b.otherSlope);
        next = step + r * (b.other - step);
    } else {
        next = step > b.best ? high : low;
    }
    if (value > b.bestValue) {
        b.other = step;
        b.otherValue = value;
        b.otherSlope = slope;
    } else {
        if (turns) {
            b.other = b.best;
            b.otherValue = b.bestValue;
            b.otherSlope = b.bestSlope;
        }
        b.best = step;
        b.bestValue = value;
        b.bestSlope = slope;
    }
    return next;
}

}  // namespace

LineStep searchLine(const LineSearch& o, LinePoint start, double first, const std::function<LinePoint(double)>& at) {
    if (!(start.slope < 0) || !(first >= o.minStep)) return {};
    double step = std::min(first, o.maxStep);
    const double wanted = o.decrease * start.slope;
    Bracket b{0, start.value, start.slope, 0, start.value, start.slope, false};
    double width = o.maxStep - o.minStep, width1 = 2 * width, low = 0, high = 5 * step;
    bool isFirstStage = true;
    for (int i = 0; i < o.maxSteps; ++i) {
        const LinePoint p = at(step);
        if (!std::isfinite(p.value) || !std::isfinite(p.slope)) return {};
        const double enough = start.value + step * wanted;
        if (isFirstStage && p.value <= enough && p.slope >= 0) isFirstStage = false;
        if (p.value <= enough && std::abs(p.slope) <= o.curvature * -start.slope) return {step, true};
        const bool isStuck = b.isClosed && (step <= low || step >= high || high - low <= o.tolerance * high);
        const bool isAtMost = step == o.maxStep && p.value <= enough && p.slope <= wanted;
        const bool isAtLeast = step == o.minStep && (p.value > enough || p.slope >= wanted);
        if (isStuck || isAtMost || isAtLeast) return {step, false};
        if (isFirstStage && p.value <= b.bestValue && p.value > enough) {
            // A function whose minimum is nearer to a step that falls enough.
            b.bestValue -= b.best * wanted;
            b.otherValue -= b.other * wanted;
            b.bestSlope -= wanted;
            b.otherSlope -= wanted;
            step = nextStep(b, step, p.value - step * wanted, p.slope - wanted, low, high);
            b.bestValue += b.best * wanted;
            b.otherValue += b.other * wanted;
            b.bestSlope += wanted;
            b.otherSlope += wanted;
        } else {
            step = nextStep(b, step, p.value, p.slope, low, high);
        }
        if (b.isClosed) {
            if (std::abs(b.other - b.best) >= 0.66 * width1) step = b.best + 0.5 * (b.other - b.best);
            width1 = width;
            width = std::abs(b.other - b.best);
            low = std::min(b.best, b.other);
            high = std::max(b.best, b.other);
        } else {
            low = step + 1.1 * (step - b.best);
            high = step + 4 * (step - b.best);
        }
        step = std::clamp(step, o.minStep, o.maxStep);
        if (b.isClosed && (step <= low || step >= high || high - low <= o.tolerance * high)) step = b.best;
    }
    return {step, false};
}

}  // namespace pelorus
