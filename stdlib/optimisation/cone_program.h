// Quadratic programs over cones, by a primal-dual interior-point method:
//
//   minimize  x'Px / 2 + q'x   so that   Gx + s = h,  Ax = b,  s in the cone,
//
// which is the product of the nonnegative orthant and of second-order cones. Mehrotra's predictor and corrector with
// Nesterov-Todd scaling (Vandenberghe 2010, The CVXOPT linear and quadratic cone program solvers). Dense: O((n + p)³ +
// n² m) for each of at most 100 iterations.
#pragma once

#include <functional>
#include <vector>

namespace pelorus {

struct ConeProgram {
    ConeProgram() = default;
    explicit ConeProgram(std::vector<double> costs) : variables(costs.size()), q(std::move(costs)) {}

    size_t variables = 0;
    std::vector<double> p;      // n × n, column by column; empty: 0
    std::vector<double> q;      // n
    std::vector<double> g;      // m × n, column by column
    std::vector<double> h;      // m
    size_t orthant = 0;         // the first rows of G
    std::vector<size_t> cones;  // rows of each second-order cone after them
    std::vector<double> a;      // equalities × n, column by column
    std::vector<double> b;

    // Adds a row to the orthant: coefficients'x <= limit. REQUIRES: there are no cones yet, and finish() is called
    // before solving.
    void addInequality(std::vector<double> coefficients, double limit);
    void addEquality(std::vector<double> coefficients, double value);
    // Adds a second-order cone: |rows x + offsets| <= bound, the rows column by column, as many as offsets.
    void addBall(const std::vector<double>& rows, const std::vector<double>& offsets, double bound);
    // Puts the rows that were added into G and A. Throws UserError when they have too many cells (requireDense).
    void finish();

private:
    std::vector<std::vector<double>> inequalities_, equalities_, ballRows_;
    std::vector<double> ballLimits_;
};

enum class ConeStatus : uint8_t {
    Optimal,
    Inaccurate,  // the optimum to three digits or so
    Infeasible,
    Unbounded,
    IterationsUsedUp,
    NumericalTrouble,
};
struct ConeSolution {
    ConeStatus status = ConeStatus::NumericalTrouble;
    std::vector<double> x, y, z;  // y of the equalities, z of the cone
    double value = 0;
};

// `onIteration` is called before each iteration; what it throws ends the work.
ConeSolution solveCone(const ConeProgram& program, const std::function<void()>& onIteration);

}  // namespace pelorus
