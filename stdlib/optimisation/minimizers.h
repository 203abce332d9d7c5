// Minimizers of functions of several parameters. Each is bounded in iterations, and says why it stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "stdlib/optimisation/objective.h"

namespace pelorus {

// What a minimizer found. `flag` is that of the function that is named with it, 0 for success.
struct Minimum {
    Point x;
    double value = 0;
    Point gradient;
    Point inverseHessian;  // column by column
    int64_t iterations = 0;
    int flag = 0;
};

struct NelderMeadOptions {
    double xTolerance = 1e-4, valueTolerance = 1e-4;
    std::optional<int64_t> maxIterations, maxCalls;  // 200 for each parameter when both are left out
};
// Nelder, Mead 1965. Flags: 1 the calls, 2 the iterations are used up.
Minimum minimizeNelderMead(Objective& objective, const Point& start, const NelderMeadOptions& options);

struct QuasiNewtonOptions {
    double gradientTolerance = 1e-5;
    double norm = 0;  // order of the gradient's norm; 0: the largest component
    double xTolerance = 0;
    double decrease = 1e-4, curvature = 0.9;
    std::optional<int64_t> maxIterations;  // 200 for each parameter
};
// Broyden, Fletcher, Goldfarb, Shanno 1970. Flags: 1 the iterations are used up, 2 no step along a line was found, 3
// NULL was met.
Minimum minimizeBfgs(Objective& objective, const Point& start, const QuasiNewtonOptions& options);
// Newton's method with steps by conjugate gradients (Nocedal, Wright, chapter 7). Flags as of minimizeBfgs.
Minimum minimizeNewton(Objective& objective, const Point& start, const QuasiNewtonOptions& options);

struct BoundedOptions {
    Point low, high;  // empty, or one for each parameter; infinite where there is no bound
    int64_t corrections = 10;
    double factor = 1e7, gradientTolerance = 1e-5;
    int64_t maxIterations = 15000, maxCalls = 15000;
    int maxSearchSteps = 20;
};
// Byrd, Lu, Nocedal, Zhu 1995. Flags: 1 iterations or calls are used up, 2 no step was found.
Minimum minimizeBounded(Objective& objective, const Point& start, const BoundedOptions& options);

// Constraints: the first `equalities` of the values are to be 0, the others at least 0. Gradients column by column, one
// column for each constraint.
struct Constraints {
    size_t count = 0, equalities = 0;
    std::function<Point(const Point&)> values;
    std::function<Point(const Point&)> gradients;
};
struct SequentialOptions {
    Point low, high;
    double accuracy = 1e-6;
    int64_t maxIterations = 100;
};
// Sequential quadratic programs (Kraft 1988). Flags: 4 the constraints contradict each other, 8 the direction does not
// descend, 9 the iterations are used up.
Minimum minimizeSequential(Objective& objective, const Point& start, const Constraints& constraints,
                           const SequentialOptions& options);

struct EvolutionOptions {
    Point low, high;
    std::optional<Point> start;
    int64_t maxIterations = 1000, populationFactor = 15;
    double minMutation = 0.5, maxMutation = 1, recombination = 0.7;
    double tolerance = 0.01, absoluteTolerance = 0;
    bool polish = true;
};
// Storn, Price 1997, best1bin with a mutation that is drawn anew each generation. Flag 1: the iterations are used up.
Minimum minimizeByEvolution(Objective& objective, const EvolutionOptions& options, std::mt19937_64& random);

}  // namespace pelorus
