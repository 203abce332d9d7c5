// Linear regressions with penalties on the coefficients, from the moments of the data alone.
#pragma once

#include <functional>
#include <vector>

#include "runtime/kernel/aggregate/least_squares.h"

namespace pelorus {

struct PenaltyOptions {
    double alpha = 1;
    double l1Ratio = 0.5;  // the share of the absolute values; the rest is of the squares
    bool intercept = true, normalize = false, positive = false;
    int64_t maxIterations = 1000;
    double tolerance = 1e-4;
};
struct PenalizedFit {
    std::vector<double> coefficients;
    double intercept = 0;
    double dualGap = 0;
    int64_t iterations = 0;
};

// Minimizes |y - Xb|² / 2n + alpha l1Ratio |b|₁ + alpha (1 - l1Ratio) |b|² / 2 by coordinate descent (Friedman, Hastie,
// Tibshirani 2010), until the dual gap is below the tolerance times the squares of y. O(factors²) for each iteration.
PenalizedFit fitElasticNet(const LeastSquares& moments, const PenaltyOptions& options,
                           const std::function<void()>& onIteration);
// Minimizes |y - Xb|² + alpha |b|².
PenalizedFit fitRidge(const LeastSquares& moments, const PenaltyOptions& options);
// Returns the sum of the squares that a fit leaves of the rows whose moments these are.
double squaresLeft(const LeastSquares& moments, const PenalizedFit& fit);

}  // namespace pelorus
