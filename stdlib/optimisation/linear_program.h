// Linear programs by the simplex method: a corner of the feasible region where the value is least.
#pragma once

#include <functional>
#include <vector>

namespace pelorus {

struct LinearRow {
    std::vector<double> coefficients;
    double limit;
    bool isEquality;  // else coefficients'x <= limit
};
enum class LinearStatus : uint8_t { Optimal, Infeasible, Unbounded, IterationsUsedUp };
struct LinearSolution {
    LinearStatus status = LinearStatus::IterationsUsedUp;
    std::vector<double> x;
    double value = 0;
};

// Minimizes costs'x with low <= x <= high, which may be infinite. Two phases over a dense tableau; Bland's rule once
// the value stands still, so that it ends. O(rows · columns) for each of at most 50000 steps; `onStep` is called before
// each. Throws UserError when the tableau has too many cells (requireDense).
LinearSolution solveLinear(const std::vector<double>& costs, const std::vector<LinearRow>& rows,
                           const std::vector<double>& low, const std::vector<double>& high,
                           const std::function<void()>& onStep);

}  // namespace pelorus
