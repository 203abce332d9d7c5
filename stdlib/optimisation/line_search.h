// A step along a line that fulfils the strong Wolfe conditions, by the search of Moré and Thuente (1994).
#pragma once

#include <functional>

namespace pelorus {

struct LineSearch {
    double decrease = 1e-4;    // share of the slope by which the value must fall
    double curvature = 0.9;    // share of the slope that may stay
    double tolerance = 1e-14;  // relative width of the interval at which the search gives up
    double minStep = 1e-100, maxStep = 1e100;
    int maxSteps = 100;
};
struct LineStep {
    double step = 0;
    bool found = false;
};

// The value and the slope at a step.
struct LinePoint {
    double value, slope;
};

// Returns the step. `start` are value and slope at 0; `at` computes those at a step; the first step tried is `first`.
LineStep searchLine(const LineSearch& options, LinePoint start, double first,
                    const std::function<LinePoint(double)>& at);

}  // namespace pelorus
