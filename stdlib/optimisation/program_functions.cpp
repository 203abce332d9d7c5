// Linear, quadratic and cone programs as functions of the script: linprog, quadprog, qclp, socp, osqp, scs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/matrix/dense_solve.h"
#include "stdlib/number_columns.h"
#include "stdlib/optimisation/cone_program.h"
#include "stdlib/optimisation/linear_program.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kMostVariables = 20000;

std::vector<double> costsArgument(Arguments a, size_t i, std::string_view name) {
    std::vector<double> costs = columnArgument(a, i, name, NullCells::Refused);
    if (costs.empty() || costs.size() > kMostVariables)
        refuseArgument(i, name, fmt::format("1 to {} numbers", kMostVariables), a[i]);
    return costs;
}

struct Rows {
    NumberMatrix matrix;
    std::vector<double> limits;

    std::vector<double> row(size_t r) const {
        std::vector<double> cells(matrix.columns);
        for (size_t c = 0; c < matrix.columns; ++c) cells[c] = matrix.at(r, c);
        return cells;
    }
};

// Reads a matrix and the right-hand side of its rows; none when both are left out.
Rows rowsArgument(Arguments a, size_t i, size_t k, std::string_view name, std::string_view limits, size_t variables) {
    if (!isGiven(a, i) && !isGiven(a, k)) return {};
    if (!isGiven(a, i) || !isGiven(a, k))
        throw UserError(static_cast<int>(isGiven(a, i) ? k : i), fmt::format("Give {} and {} together.", name, limits));
    Rows rows{matrixArgument(a, i, name, variables > 1 || a[i].size() == 1), {}};
    if (a[k].isScalar())
        rows.limits = {realArgument(a, k, limits)};
    else
        rows.limits = columnArgument(a, k, limits, NullCells::Refused);
    if (rows.matrix.columns != variables)
        throw UserError(static_cast<int>(i), fmt::format("{} must have {} columns, one for each variable, but has {}.",
                                                         name, variables, rows.matrix.columns));
    if (rows.limits.size() != rows.matrix.rows)
        throw UserError(static_cast<int>(k),
                        fmt::format("{} has {} elements for {} rows.", limits, rows.limits.size(), rows.matrix.rows));
    return rows;
}

// Reads bounds: a scalar for all, or one for each; NULL is none.
std::vector<double> boundArgument(Arguments a, size_t i, std::string_view name, size_t count, double none) {
    if (!isGiven(a, i)) return std::vector<double>(count, none);
    std::vector<double> bounds;
    if (a[i].isScalar())
        bounds.assign(count, a[i].isNull() ? none : realArgument(a, i, name));
    else
        bounds = columnArgument(a, i, name, NullCells::Kept);
    if (bounds.size() != count)
        throw UserError(static_cast<int>(i), fmt::format("{} has {} elements for {}.", name, bounds.size(), count));
    for (double& bound : bounds) bound = isNull(bound) ? none : bound;
    return bounds;
}

// Reads a square matrix over the variables.
std::vector<double> squareArgument(Arguments a, size_t i, std::string_view name, size_t variables) {
    const NumberMatrix matrix = matrixArgument(a, i, name, false);
    if (matrix.rows != variables || matrix.columns != variables)
        throw UserError(static_cast<int>(i), fmt::format("{} must be {} by {}, but is {} by {}.", name, variables,
                                                         variables, matrix.rows, matrix.columns));
    return matrix.cells;
}

// Counts the bounds that are finite.
size_t countBounds(const std::vector<double>& low, const std::vector<double>& high) {
    const auto isFinite = [](double v) { return std::isfinite(v); };
    return static_cast<size_t>(std::ranges::count_if(low, isFinite) + std::ranges::count_if(high, isFinite));
}

void add(ConeProgram& program, const Rows& inequalities, const Rows& equalities) {
    requireDense(program.h.size() + inequalities.limits.size() + equalities.limits.size(), program.variables);
    for (size_t r = 0; r < inequalities.limits.size(); ++r)
        program.addInequality(inequalities.row(r), inequalities.limits[r]);
    for (size_t r = 0; r < equalities.limits.size(); ++r) program.addEquality(equalities.row(r), equalities.limits[r]);
}
void addBounds(ConeProgram& program, const std::vector<double>& low, const std::vector<double>& high) {
    requireDense(program.h.size() + countBounds(low, high), program.variables);
    for (size_t i = 0; i < low.size(); ++i) {
        std::vector<double> row(program.variables, 0.0);
        row[i] = 1;
        if (std::isfinite(high[i])) program.addInequality(row, high[i]);
        row[i] = -1;
        if (std::isfinite(low[i])) program.addInequality(row, -low[i]);
    }
}
// Adds |x - centre| <= most, the sum of the absolute values, by one more variable for each. REQUIRES: the program has
// room for them after the others.
void addAbsolute(ConeProgram& program, const std::vector<double>& centre, double most) {
    const size_t n = centre.size();
    requireDense(program.h.size() + 2 * n + 1, program.variables);
    for (size_t i = 0; i < n; ++i) {
        std::vector<double> row(program.variables, 0.0);
        row[i] = 1;
        row[n + i] = -1;
        program.addInequality(row, centre[i]);
        row[i] = -1;
        program.addInequality(row, -centre[i]);
    }
    std::vector<double> sum(program.variables, 0.0);
    for (size_t i = 0; i < n; ++i) sum[n + i] = 1;
    program.addInequality(sum, most);
}

ConeSolution solved(Context& context, ConeProgram& program) {
    program.finish();
    return solveCone(program, [&] { context.checkCancelled(); });
}

[[noreturn]] void refuseProgram(ConeStatus status) {
    switch (status) {
        case ConeStatus::Infeasible:
            throw UserError("No point fulfils the constraints.", "Loosen them.");
        case ConeStatus::Unbounded:
            throw UserError("The value falls without end.", "Add bounds.");
        default:
            throw UserError("No solution was found.", "Scale the numbers, or remove constraints that repeat.");
    }
}

Value pairOf(double value, std::vector<double> x, size_t variables) {
    x.resize(variables);
    auto result = makeRef<Tuple>();
    result->elements = {Value::ofDouble(value), Value::of(Vector::of(Type::Double, x))};
    return Value::of(std::move(result));
}
Value pairOf(const ConeSolution& solution, size_t variables) {
    if (solution.status != ConeStatus::Optimal && solution.status != ConeStatus::Inaccurate)
        refuseProgram(solution.status);
    return pairOf(solution.value, solution.x, variables);
}

// linprog(f, [A], [b], [Aeq], [beq], [lb], [ub], [method])
Value linprogKernel(Context& context, Arguments a) {
    const std::vector<double> costs = costsArgument(a, 0, "f");
    const size_t n = costs.size();
    const Rows below = rowsArgument(a, 1, 2, "A", "b", n), equal = rowsArgument(a, 3, 4, "Aeq", "beq", n);
    const std::vector<double> low = boundArgument(a, 5, "lb", n, -kInfinity),
                              high = boundArgument(a, 6, "ub", n, kInfinity);
    const std::string method = stringArgument(a, 7, "method", "simplex");
    if (method != "simplex" && method != "interior-point")
        refuseArgument(7, "method", "simplex or interior-point", a[7]);
    for (size_t i = 0; i < n; ++i) {
        if (low[i] > high[i]) refuseProgram(ConeStatus::Infeasible);
    }
    if (method == "interior-point") {
        ConeProgram program(costs);
        add(program, below, equal);
        addBounds(program, low, high);
        return pairOf(solved(context, program), n);
    }
    requireDense(below.limits.size() + equal.limits.size(), n);
    std::vector<LinearRow> rows;
    for (size_t r = 0; r < below.limits.size(); ++r) rows.push_back({below.row(r), below.limits[r], false});
    for (size_t r = 0; r < equal.limits.size(); ++r) rows.push_back({equal.row(r), equal.limits[r], true});
    const LinearSolution solution = solveLinear(costs, rows, low, high, [&] { context.checkCancelled(); });
    if (solution.status == LinearStatus::Infeasible) refuseProgram(ConeStatus::Infeasible);
    if (solution.status == LinearStatus::Unbounded) refuseProgram(ConeStatus::Unbounded);
    if (solution.status == LinearStatus::IterationsUsedUp) refuseProgram(ConeStatus::IterationsUsedUp);
    return pairOf(solution.value, solution.x, n);
}

// quadprog(H, f, [A], [b], [Aeq], [beq])
Value quadprogKernel(Context& context, Arguments a) {
    ConeProgram program(costsArgument(a, 1, "f"));
    const size_t n = program.variables = program.q.size();
    program.p = squareArgument(a, 0, "H", n);
    if (choleskyFactor(program.p, n).empty())
        throw UserError(0, "H must be symmetric and positive definite.", "Use osqp or scs for others.");
    add(program, rowsArgument(a, 2, 3, "A", "b", n), rowsArgument(a, 4, 5, "Aeq", "beq", n));
    return pairOf(solved(context, program), n);
}

// Reads eps and alpha, which steer other solvers; ours goes to full precision, whatever they are.
void readPrecision(Arguments a, size_t i) {
    (void)realArgument(a, i, "eps", 1e-6);
    (void)realArgument(a, i + 1, "alpha", 1.5);
}

struct AbsoluteBound {
    std::vector<double> centre;
    double most = 0;
};
AbsoluteBound absoluteArgument(Arguments a, size_t i, size_t variables) {
    if (!isGiven(a, i) && !isGiven(a, i + 1)) return {};
    if (!isGiven(a, i) || !isGiven(a, i + 1)) throw UserError(static_cast<int>(i), "Give x0 and c together.");
    AbsoluteBound bound{columnArgument(a, i, "x0", NullCells::Refused), realArgument(a, i + 1, "c")};
    if (bound.centre.size() != variables)
        throw UserError(static_cast<int>(i),
                        fmt::format("x0 has {} elements for {} variables.", bound.centre.size(), variables));
    if (!(bound.most >= 0)) refuseArgument(i + 1, "c", "0 or more", a[i + 1]);
    return bound;
}

Rows widened(Rows rows, size_t variables) {
    rows.matrix.cells.resize(rows.matrix.rows * variables, 0.0);
    rows.matrix.columns = variables;
    return rows;
}

// qclp(r, V, k, [A], [b], [Aeq], [beq], [x0], [c], [eps], [alpha])
Value qclpKernel(Context& context, Arguments a) {
    ConeProgram program(costsArgument(a, 0, "r"));
    const size_t n = program.q.size();
    const AbsoluteBound absolute = absoluteArgument(a, 7, n);
    const size_t all = program.variables = n + absolute.centre.size();
    program.q.resize(all, 0.0);
    std::vector<double> vectors = squareArgument(a, 1, "V", n);
    const double most = realArgument(a, 2, "k");
    if (!(most > 0)) refuseArgument(2, "k", "above 0", a[2]);
    readPrecision(a, 9);
    add(program, widened(rowsArgument(a, 3, 4, "A", "b", n), all),
        widened(rowsArgument(a, 5, 6, "Aeq", "beq", n), all));
    if (!absolute.centre.empty()) addAbsolute(program, absolute.centre, absolute.most);
    // x'Vx <= k as |R x| <= sqrt(k), where V = R'R.
    const std::vector<double> values = eigenvaluesOf(vectors, n);
    if (values.empty() || values.front() < -1e-9 * std::max(1.0, values.back()))
        throw UserError(1, "V must be symmetric and positive semidefinite.");
    std::vector<double> rows(n * all, 0.0);
    for (size_t r = 0; r < n; ++r) {
        for (size_t c = 0; c < n; ++c) rows[c * n + r] = std::sqrt(std::max(0.0, values[r])) * vectors[r * n + c];
    }
    program.addBall(rows, std::vector<double>(n, 0.0), std::sqrt(most));
    return pairOf(solved(context, program), n);
}

// Completes a matrix of which only the upper triangle is given.
void completeSymmetric(std::vector<double>& p, size_t n, size_t argument, std::string_view name) {
    bool isUpper = true, isSymmetric = true;
    for (size_t c = 0; c < n; ++c) {
        for (size_t r = c + 1; r < n; ++r) {
            isUpper &= p[c * n + r] == 0;
            isSymmetric &= std::abs(p[c * n + r] - p[r * n + c]) <= 1e-12 * (1 + std::abs(p[c * n + r]));
        }
    }
    if (!isSymmetric && !isUpper)
        throw UserError(static_cast<int>(argument), fmt::format("{} must be symmetric, or an upper triangle.", name));
    for (size_t c = 0; c < n && isUpper; ++c) {
        for (size_t r = c + 1; r < n; ++r) p[c * n + r] = p[r * n + c];
    }
    std::vector<double> vectors = p;
    const std::vector<double> values = eigenvaluesOf(vectors, n);
    if (values.empty() || values.front() < -1e-9 * std::max(1.0, values.back()))
        throw UserError(static_cast<int>(argument), fmt::format("{} must be positive semidefinite.", name));
}

std::vector<double> embedded(const std::vector<double>& p, size_t n, size_t all) {
    std::vector<double> cells(all * all, 0.0);
    for (size_t c = 0; c < n; ++c) {
        for (size_t r = 0; r < n; ++r) cells[c * all + r] = p[c * n + r];
    }
    return cells;
}

// scs(f, [P], [A], [b], [Aeq], [beq], [lb], [ub], [x0], [c], [eps], [alpha])
Value scsKernel(Context& context, Arguments a) {
    ConeProgram program(costsArgument(a, 0, "f"));
    const size_t n = program.q.size();
    const AbsoluteBound absolute = absoluteArgument(a, 8, n);
    const size_t all = program.variables = n + absolute.centre.size();
    program.q.resize(all, 0.0);
    if (isGiven(a, 1)) {
        std::vector<double> p = squareArgument(a, 1, "P", n);
        completeSymmetric(p, n, 1, "P");
        program.p = embedded(p, n, all);
    }
    readPrecision(a, 10);
    add(program, widened(rowsArgument(a, 2, 3, "A", "b", n), all),
        widened(rowsArgument(a, 4, 5, "Aeq", "beq", n), all));
    addBounds(program, boundArgument(a, 6, "lb", n, -kInfinity), boundArgument(a, 7, "ub", n, kInfinity));
    if (!absolute.centre.empty()) addAbsolute(program, absolute.centre, absolute.most);
    return pairOf(solved(context, program), n);
}

// osqp(q, [P], [A], [lb], [ub])
Value osqpKernel(Context& context, Arguments a) {
    ConeProgram program(costsArgument(a, 0, "q"));
    const size_t n = program.variables = program.q.size();
    if (isGiven(a, 1)) {
        program.p = squareArgument(a, 1, "P", n);
        completeSymmetric(program.p, n, 1, "P");
    }
    if (isGiven(a, 2)) {
        const NumberMatrix matrix = matrixArgument(a, 2, "A", n > 1);
        if (matrix.columns != n)
            throw UserError(2, fmt::format("A must have {} columns, but has {}.", n, matrix.columns));
        const std::vector<double> low = boundArgument(a, 3, "lb", matrix.rows, -kInfinity),
                                  high = boundArgument(a, 4, "ub", matrix.rows, kInfinity);
        requireDense(countBounds(low, high), n);
        const Rows rows{matrix, {}};
        for (size_t r = 0; r < matrix.rows; ++r) {
            std::vector<double> row = rows.row(r);
            if (low[r] == high[r]) {
                program.addEquality(row, low[r]);
                continue;
            }
            if (std::isfinite(high[r])) program.addInequality(row, high[r]);
            for (double& cell : row) cell = -cell;
            if (std::isfinite(low[r])) program.addInequality(row, -low[r]);
        }
    } else if (isGiven(a, 3) || isGiven(a, 4)) {
        throw UserError(2, "Give A, lb and ub together.");
    }
    const ConeSolution solution = solved(context, program);
    const std::string_view status = solution.status == ConeStatus::Optimal            ? "solved"
                                    : solution.status == ConeStatus::Inaccurate       ? "solved inaccurate"
                                    : solution.status == ConeStatus::Infeasible       ? "primal infeasible"
                                    : solution.status == ConeStatus::Unbounded        ? "dual infeasible"
                                    : solution.status == ConeStatus::IterationsUsedUp ? "maximum iterations reached"
                                                                                      : "unsolved";
    std::vector<double> x = solution.x;
    const bool hasValues = solution.status == ConeStatus::Optimal || solution.status == ConeStatus::Inaccurate;
    if (!hasValues) x.assign(n, null<double>);
    auto result = makeRef<Tuple>();
    result->elements = {Value::ofString(status), Value::of(Vector::of(Type::Double, x))};
    return Value::of(std::move(result));
}

// socp(f, [G], [h], [l], [q], [A], [b])
Value socpKernel(Context& context, Arguments a) {
    ConeProgram program(costsArgument(a, 0, "f"));
    const size_t n = program.variables = program.q.size();
    const Rows cone = rowsArgument(a, 1, 2, "G", "h", n), equal = rowsArgument(a, 5, 6, "A", "b", n);
    const auto rows = static_cast<int64_t>(cone.limits.size());
    const int64_t orthant = integerArgument(a, 3, "l", isGiven(a, 4) ? 0 : rows);
    int64_t left = rows - orthant;
    if (orthant < 0 || left < 0) refuseArgument(3, "l", "from 0 to the rows of G", a[3]);
    if (isGiven(a, 4)) {
        for (const double size :
             a[4].isScalar() ? std::vector{realArgument(a, 4, "q")} : columnArgument(a, 4, "q", NullCells::Refused)) {
            if (!(size >= 1) || size != std::floor(size) || size > static_cast<double>(left))
                refuseArgument(4, "q", "the rows of each cone, from 1", a[4]);
            program.cones.push_back(static_cast<size_t>(size));
            left -= static_cast<int64_t>(size);
        }
    }
    if (left != 0) throw UserError(4, fmt::format("l and q describe {} rows, but G has {}.", rows - left, rows));
    program.g = cone.matrix.cells;
    program.h = cone.limits;
    program.orthant = static_cast<size_t>(orthant);
    program.a = equal.matrix.cells;
    program.b = equal.limits;
    const ConeSolution solution = solveCone(program, [&] { context.checkCancelled(); });
    struct Named {
        std::string_view text;
        int code;
    };
    constexpr Named kNames[] = {{"Optimal solution found", 0},
                                {"Optimal solution found subject to reduced tolerances", 10},
                                {"Certificate of primal infeasibility found", 1},
                                {"Certificate of dual infeasibility found", 2},
                                {"Maximum number of iterations reached", -1},
                                {"Numerical problems (unreliable search direction)", -2}};
    const Named& status = kNames[static_cast<size_t>(solution.status)];
    const bool hasValues = status.code == 0 || status.code == 10;
    std::vector<double> x = solution.x;
    if (!hasValues) x.assign(n, null<double>);
    auto result = makeRef<Tuple>();
    result->elements = {Value::ofString(status.text), Value::of(Vector::of(Type::Double, x)),
                        Value::ofDouble(hasValues ? solution.value : null<double>), Value::ofInt(status.code)};
    return Value::of(std::move(result));
}

constexpr std::string_view kConstraints =
    "A, b: a matrix with a column for each variable, and a vector: A x <= b\n"
    "Aeq, beq: the same for Aeq x = beq\n";
constexpr std::string_view kInterior =
    "Mehrotra's predictor-corrector interior-point method with Nesterov-Todd scaling (Vandenberghe 2010)";
constexpr std::string_view kProgramErrors =
    "No x fulfils the constraints; the value falls without end; shapes do not fit; there are more than 20000 "
    "variables, or 10^8 cells of constraints and bounds.";
constexpr std::string_view kCubic = "O(variables³ + variables² · constraints) for each of at most 100 iterations";

}  // namespace

void registerPrograms(FunctionRegistry& registry) {
    registry.add(
        "linprog(f, [A], [b], [Aeq], [beq], [lb], [ub], [method='simplex'])", linprogKernel,
        {.summary = "The least value of f'x under linear constraints, and x there: a tuple of both.",
         .parameters =
             "f: a vector of numbers\n" + std::string(kConstraints) +
             "lb, ub: the least and the most of x: a number for all, or a vector; NULL, the default, is none\n"
             "method: simplex (a corner) or interior-point",
         .nulls = "Only lb and ub may hold some.",
         .errors = kProgramErrors,
         .complexity = "simplex: O(rows · columns) for each of at most 50000 steps; interior-point as of quadprog",
         .source = "Dantzig 1951, two phases with Bland's rule; interior-point as of scs",
         .example = "linprog([1, 2], matrix([-1], [-1]), [-2], , , , 2) -> (2,[2,0])"});
    registry.add(
        "quadprog(H, f, [A], [b], [Aeq], [beq])", quadprogKernel,
        {.summary = "The least value of x'Hx/2 + f'x under linear constraints, and x there: a tuple of both.",
         .parameters = "H: a symmetric, positive definite matrix\nf: a vector of numbers\n" + std::string(kConstraints),
         .nulls = "There must be none.",
         .errors = std::string("H is not positive definite. ") + std::string(kProgramErrors),
         .complexity = kCubic,
         .source = kInterior,
         .example = "round(quadprog(matrix([2, -2], [-2, 6]), [-5, 4])[1], 6) -> [2.75,0.25]"
                    "\nquadprog(matrix([2, -2], [-2, 6]), [-5, 4])"});
    registry.add(
        "qclp(r, V, k, [A], [b], [Aeq], [beq], [x0], [c], [eps], [alpha])", qclpKernel,
        {.summary = "The least value of r'x with x'Vx <= k and linear constraints, and x there: a tuple of both.",
         .parameters = "r: a vector of numbers\nV: a symmetric, positive semidefinite matrix\nk: a number above 0\n" +
                       std::string(kConstraints) +
                       "x0, c: a vector and a number: the sum of |x - x0| is at most c\n"
                       "eps, alpha: are taken and change nothing; the result has nine digits",
         .nulls = "There must be none.",
         .errors = std::string("V is not positive semidefinite. ") + std::string(kProgramErrors),
         .complexity = kCubic,
         .source = kInterior,
         .example = "round(qclp([-1, -1], matrix([1, 0], [0, 1]), 2)[1], 6) -> [1,1]"
                    "\nqclp([-1, -1], matrix([1, 0], [0, 1]), 2)"});
    registry.add(
        "socp(f, [G], [h], [l], [q], [A], [b])", socpKernel,
        {.summary =
             "A second-order cone program, the least f'x with Gx + s = h, Ax = b and s in the cone: a tuple of a "
             "text (how it ended), x, the value, and a code: 0 found, 10 found with fewer digits, 1 no x "
             "fulfils the constraints, 2 the value falls without end, -1 and -2 no solution was found.",
         .parameters =
             "f: a vector of numbers\nG, h: a matrix and a vector\nl: the first rows of s, which are at least "
             "0, by default all\nq: the rows of each cone after them, whose first row is at least the length "
             "of the others\nA, b: a matrix and a vector",
         .nulls = "There must be none.",
         .errors = "Shapes do not fit; there are more than 20000 variables.",
         .complexity = kCubic,
         .source = kInterior,
         .example = "round(socp([1, 1], matrix([0, -1, 0], [0, 0, -1]), [1, 0, 0], 0, [3])[1], 4) -> "
                    "[-0.7071,-0.7071]"});
    registry.add(
        "osqp(q, [P], [A], [lb], [ub])", osqpKernel,
        {.summary =
             "The least x'Px/2 + q'x with lb <= Ax <= ub: a tuple of a text (solved, solved inaccurate, primal "
             "infeasible, dual infeasible, maximum iterations reached, unsolved) and x, NULL where there is none.",
         .parameters = "q: a vector of numbers\nP: a symmetric, positive semidefinite matrix, or its upper triangle\n"
                       "A: a matrix with a column for each variable\nlb, ub: a number for each row of A; NULL is none",
         .nulls = "Only lb and ub may hold some.",
         .errors = "P is not positive semidefinite; shapes do not fit; there are more than 20000 variables.",
         .complexity = kCubic,
         .source = kInterior,
         .example = "round(osqp([-2, -4], matrix([2, 0], [0, 2]), matrix([1, 0], [0, 1]), [0, 0], [5, 1])[1], 6) -> "
                    "[1,1]"});
    registry.add(
        "scs(f, [P], [A], [b], [Aeq], [beq], [lb], [ub], [x0], [c], [eps], [alpha])", scsKernel,
        {.summary = "The least value of x'Px/2 + f'x under linear constraints, and x there: a tuple of both.",
         .parameters = "f: a vector of numbers\nP: a symmetric, positive semidefinite matrix, or its upper triangle\n" +
                       std::string(kConstraints) +
                       "lb, ub: as of linprog\nx0, c: a vector and a number: the sum of |x - x0| is at most c\n"
                       "eps, alpha: are taken and change nothing; the result has nine digits",
         .nulls = "Only lb and ub may hold some.",
         .errors = std::string("P is not positive semidefinite. ") + std::string(kProgramErrors),
         .complexity = kCubic,
         .source = kInterior,
         .example = "round(scs([0, 0], matrix([2, 0], [0, 2]), , , matrix([1], [1]), [1])[1], 6) -> [0.5,0.5]"
                    "\nscs([0, 0], matrix([2, 0], [0, 2]), , , matrix([1], [1]), [1])"});
}

}  // namespace pelorus
