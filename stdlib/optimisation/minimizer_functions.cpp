// Minimizers as functions of the script: fmin, fminBFGS, fminNCG, fminLBFGSB, fminSLSQP, brute, differentialEvolution.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/number_columns.h"
#include "stdlib/optimisation/minimizer_arguments.h"
#include "stdlib/random.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

Value realValue(double x) {
    return Value::ofDouble(std::isnan(x) ? null<double> : x);
}
Value countValue(int64_t count) {
    return Value::ofInt(static_cast<int32_t>(std::min<int64_t>(count, INT32_MAX)));
}

// Begins the result of a minimizer.
Ref<Dictionary> resultOf(const Minimum& found) {
    Ref<Dictionary> result = orderedResult();
    addMember(*result, "xopt", pointValue(found.x));
    addMember(*result, "fopt", realValue(found.value));
    return result;
}
Value finished(Ref<Dictionary> result, const Minimum& found, const Objective& objective) {
    addMember(*result, "iterations", countValue(found.iterations));
    addMember(*result, "fcalls", countValue(objective.calls()));
    addMember(*result, "warnFlag", countValue(found.flag));
    return Value::of(std::move(result));
}

// fmin(func, X0, [xtol], [ftol], [maxIter], [maxFun])
Value fminKernel(Context& context, Arguments a) {
    const StartArgument start = startArgument(a, 1);
    Objective objective(context, functionArgument(a, 0), start.isScalar);
    const Minimum found = minimizeNelderMead(objective, start.x,
                                             {.xTolerance = positiveArgument(a, 2, "xtol", 1e-4),
                                              .valueTolerance = positiveArgument(a, 3, "ftol", 1e-4),
                                              .maxIterations = countArgument(a, 4, "maxIter"),
                                              .maxCalls = countArgument(a, 5, "maxFun")});
    return finished(resultOf(found), found, objective);
}

void readWolfe(Arguments a, size_t i, QuasiNewtonOptions& o) {
    o.decrease = positiveArgument(a, i, "c1", 1e-4);
    o.curvature = positiveArgument(a, i + 1, "c2", 0.9);
    if (!(o.decrease < o.curvature && o.curvature < 1))
        throw UserError(static_cast<int>(i), fmt::format("c1 must be below c2, and c2 below 1, but they are {} and {}.",
                                                         o.decrease, o.curvature));
}

// fminBFGS(func, X0, [fprime], [gtol], [norm], [epsilon], [maxIter], [xrtol], [c1], [c2])
Value fminBfgsKernel(Context& context, Arguments a) {
    const StartArgument start = startArgument(a, 1);
    Objective objective(context, functionArgument(a, 0), start.isScalar);
    objective.setGradient(optionalFunction(a, 2, "fprime"));
    QuasiNewtonOptions o{.gradientTolerance = positiveArgument(a, 3, "gtol", 1e-5)};
    const double norm = realArgument(a, 4, "norm", 0);
    o.norm = std::isfinite(norm) ? norm : 0;
    if (o.norm < 0) refuseArgument(4, "norm", "above 0", a[4]);
    objective.setStep(positiveArgument(a, 5, "epsilon", 1.4901161193847656e-08));
    o.maxIterations = countArgument(a, 6, "maxIter");
    o.xTolerance = positiveArgument(a, 7, "xrtol", 0, true);
    readWolfe(a, 8, o);
    const Minimum found = minimizeBfgs(objective, start.x, o);
    Ref<Dictionary> result = resultOf(found);
    addMember(*result, "gopt", pointValue(found.gradient));
    addMember(*result, "Hinv", matrixOf(found.inverseHessian, start.x.size(), start.x.size()));
    addMember(*result, "gcalls", countValue(objective.gradientCalls()));
    return finished(std::move(result), found, objective);
}

// fminNCG(func, X0, fprime, fhess, [xtol], [maxIter], [c1], [c2])
Value fminNcgKernel(Context& context, Arguments a) {
    const StartArgument start = startArgument(a, 1);
    Objective objective(context, functionArgument(a, 0), start.isScalar);
    objective.setGradient(&functionArgument(a, 2));
    objective.setHessian(&functionArgument(a, 3));
    QuasiNewtonOptions o{.xTolerance = positiveArgument(a, 4, "xtol", 1e-5)};
    o.maxIterations = countArgument(a, 5, "maxIter");
    readWolfe(a, 6, o);
    const Minimum found = minimizeNewton(objective, start.x, o);
    Ref<Dictionary> result = resultOf(found);
    addMember(*result, "gcalls", countValue(objective.gradientCalls()));
    addMember(*result, "hcalls", countValue(objective.hessianCalls()));
    return finished(std::move(result), found, objective);
}

// fminLBFGSB(func, X0, [fprime], [bounds], [m], [factr], [pgtol], [epsilon], [maxIter], [maxFun], [maxLS])
Value fminBoundedKernel(Context& context, Arguments a) {
    const StartArgument start = startArgument(a, 1);
    Objective objective(context, functionArgument(a, 0), start.isScalar);
    objective.setGradient(optionalFunction(a, 2, "fprime"));
    BoundedOptions o;
    boundsArgument(a, 3, start.x.size(), o.low, o.high);
    o.corrections = countArgument(a, 4, "m", 10, 1);
    if (o.corrections > 1000) refuseArgument(4, "m", "at most 1000", a[4]);
    o.factor = positiveArgument(a, 5, "factr", 1e7);
    o.gradientTolerance = positiveArgument(a, 6, "pgtol", 1e-5);
    objective.setStep(positiveArgument(a, 7, "epsilon", 1e-8));
    o.maxIterations = countArgument(a, 8, "maxIter", 15000);
    o.maxCalls = countArgument(a, 9, "maxFun", 15000);
    o.maxSearchSteps = static_cast<int>(std::min<int64_t>(countArgument(a, 10, "maxLS", 20, 1), 10000));
    const Minimum found = minimizeBounded(objective, start.x, o);
    Ref<Dictionary> result = resultOf(found);
    addMember(*result, "gopt", pointValue(found.gradient));
    return finished(std::move(result), found, objective);
}

// One constraint of fminSLSQP, as a dictionary gives it.
struct ConstraintFunction {
    const Function* values;
    const Function* gradients;  // may be null
    bool isEquality;
    size_t count = 0;
};

ConstraintFunction constraintOf(const Value& given) {
    if (!given.isDictionary() || given.dictionary().keyType() != Type::String)
        refuseArgument(3, "constraints", "dictionaries with type, fun and jac", given);
    const auto member = [&](std::string_view name) { return given.dictionary().get(Value::ofString(name)); };
    const Value kind = member("type"), values = member("fun"), gradients = member("jac");
    if (!kind.isString() || (kind.string() != "eq" && kind.string() != "ineq"))
        throw UserError(3, "The type of a constraint must be eq or ineq.");
    if (!values.isFunction()) throw UserError(3, "The member fun of a constraint must be a function.");
    if (!gradients.isVoid() && !gradients.isFunction())
        throw UserError(3, "The member jac of a constraint must be a function.");
    return {&values.function(), gradients.isVoid() ? nullptr : &gradients.function(), kind.string() == "eq"};
}

Point valuesOf(Context& context, const std::vector<ConstraintFunction>& all, const Point& x, bool isScalar) {
    Point values;
    for (const ConstraintFunction& c : all) {
        const Point own = numbersOfCall(context, *c.values, "fun", x, isScalar);
        if (c.count != 0 && own.size() != c.count)
            throw UserError(3, "The function of a constraint must always give as many numbers.");
        values.insert(values.end(), own.begin(), own.end());
    }
    return values;
}

Point gradientsOf(Context& context, const std::vector<ConstraintFunction>& all, const Point& x, bool isScalar,
                  double step) {
    Point gradients;
    for (const ConstraintFunction& c : all) {
        if (c.gradients != nullptr) {
            const Point own = numbersOfCall(context, *c.gradients, "jac", x, isScalar);
            if (own.size() != c.count * x.size())
                throw UserError(
                    3, fmt::format("jac must give {} numbers, but it gave {}.", c.count * x.size(), own.size()));
            gradients.insert(gradients.end(), own.begin(), own.end());
            continue;
        }
        const Point here = numbersOfCall(context, *c.values, "fun", x, isScalar);
        Point own(c.count * x.size());
        for (size_t k = 0; k < x.size(); ++k) {
            Point beside = x;
            beside[k] += step;
            const Point there = numbersOfCall(context, *c.values, "fun", beside, isScalar);
            if (there.size() != here.size() || here.size() != c.count)
                throw UserError(3, "The function of a constraint must always give as many numbers.");
            for (size_t i = 0; i < c.count; ++i) own[i * x.size() + k] = (there[i] - here[i]) / (beside[k] - x[k]);
        }
        gradients.insert(gradients.end(), own.begin(), own.end());
    }
    return gradients;
}

std::vector<ConstraintFunction> constraintsArgument(Context& context, Arguments a, const StartArgument& start) {
    std::vector<ConstraintFunction> all;
    if (!isGiven(a, 3)) return all;
    if (a[3].isTuple()) {
        for (const Value& one : a[3].tuple().elements) all.push_back(constraintOf(one));
    } else {
        all.push_back(constraintOf(a[3]));
    }
    std::ranges::stable_sort(all, [](const auto& x, const auto& y) { return x.isEquality > y.isEquality; });
    size_t equalities = 0;
    for (ConstraintFunction& c : all) {
        c.count = numbersOfCall(context, *c.values, "fun", start.x, start.isScalar).size();
        equalities += c.isEquality ? c.count : 0;
    }
    if (equalities > start.x.size())
        throw UserError(3, fmt::format("There are {} equalities for {} parameters.", equalities, start.x.size()),
                        "Give at most as many equalities as parameters.");
    return all;
}

// fminSLSQP(func, X0, [fprime], [constraints], [bounds], [ftol], [epsilon], [maxIter])
Value fminSequentialKernel(Context& context, Arguments a) {
    const StartArgument start = startArgument(a, 1);
    Objective objective(context, functionArgument(a, 0), start.isScalar);
    objective.setGradient(optionalFunction(a, 2, "fprime"));
    const double step = positiveArgument(a, 6, "epsilon", 1.4901161193847656e-08);
    objective.setStep(step);
    const std::vector<ConstraintFunction> all = constraintsArgument(context, a, start);
    Constraints constraints;
    for (const ConstraintFunction& c : all) {
        constraints.count += c.count;
        constraints.equalities += c.isEquality ? c.count : 0;
    }
    constraints.values = [&](const Point& x) { return valuesOf(context, all, x, start.isScalar); };
    constraints.gradients = [&](const Point& x) { return gradientsOf(context, all, x, start.isScalar, step); };
    SequentialOptions o;
    boundsArgument(a, 4, start.x.size(), o.low, o.high);
    o.accuracy = positiveArgument(a, 5, "ftol", 1e-6);
    o.maxIterations = countArgument(a, 7, "maxIter", 100);
    const Minimum found = minimizeSequential(objective, start.x, constraints, o);
    Ref<Dictionary> result = resultOf(found);
    addMember(*result, "iterations", countValue(found.iterations));
    addMember(*result, "mode", countValue(found.flag));
    return Value::of(std::move(result));
}

// The points of a grid along one parameter.
Point gridOf(const Value& range, int64_t usual) {
    const int64_t parts = range.isScalar() ? 0 : range.size();
    if (parts != 2 && parts != 3) refuseArgument(1, "ranges", "a tuple of (low, high) or (low, high, num)", range);
    std::vector<Value> members;
    for (int64_t i = 0; i < parts; ++i) members.push_back(range.at(i));
    const double low = realArgument(members, 0, "low"), high = realArgument(members, 1, "high");
    const int64_t count = parts == 3 ? countArgument(members, 2, "num", 0, 1) : usual;
    Point grid;
    for (int64_t i = 0; i < std::min<int64_t>(count, 1000001); ++i)
        grid.push_back(count == 1 ? low : low + (high - low) * static_cast<double>(i) / static_cast<double>(count - 1));
    return grid;
}

// brute(func, ranges, [ns], [finish])
Value bruteKernel(Context& context, Arguments a) {
    constexpr double kMostPoints = 1e8;
    const Function& function = functionArgument(a, 0);
    if (!a[1].isTuple() && !a[1].isTypedVector() && !a[1].isPair())
        refuseArgument(1, "ranges", "a tuple of (low, high) or (low, high, num)", a[1]);
    const int64_t usual = countArgument(a, 2, "ns", 20, 1);
    std::vector<Point> grids;
    const bool isSingle = !a[1].isTuple() || (a[1].size() > 0 && a[1].at(0).isScalar());
    if (isSingle)
        grids.push_back(gridOf(a[1], usual));
    else
        for (const Value& range : a[1].tuple().elements) grids.push_back(gridOf(range, usual));
    double points = grids.empty() ? 0 : 1;
    for (const Point& grid : grids) points *= static_cast<double>(grid.size());
    if (points < 1 || points > kMostPoints)
        throw UserError(1, fmt::format("The grid has {:.0f} points; 1 to {:.0f} are tried.", points, kMostPoints));
    Objective objective(context, function, false);
    std::vector<size_t> at(grids.size(), 0);
    Minimum best{.value = std::numeric_limits<double>::infinity()};
    for (int64_t i = 0; i < static_cast<int64_t>(points); ++i) {
        Point x;
        for (size_t k = 0; k < grids.size(); ++k) x.push_back(grids[k][at[k]]);
        const double value = objective.value(x);
        if (value < best.value || best.x.empty()) best = {.x = std::move(x), .value = value};
        for (size_t k = grids.size(); k-- > 0 && ++at[k] == grids[k].size();) at[k] = 0;
    }
    const bool isOff = a.size() > 3 && a[3].isVoid() && !isOmitted(a[3]);
    const bool isNamed = a.size() > 3 && !isOmitted(a[3]) && !a[3].isVoid();
    if (isOff) return Value::of(resultOf(best));
    const Function& finish = isNamed ? functionArgument(a, 3) : FunctionRegistry::instance().get("fmin");
    const Value finer = callWith(finish, context, {a[0], pointValue(best.x)});
    if (!finer.isDictionary() || finer.dictionary().keyType() != Type::String ||
        !finer.dictionary().contains(Value::ofString("xopt")))
        throw UserError(3, "finish must give a dictionary with xopt and fopt.");
    Ref<Dictionary> result = orderedResult();
    addMember(*result, "xopt", finer.dictionary().get(Value::ofString("xopt")));
    addMember(*result, "fopt", finer.dictionary().get(Value::ofString("fopt")));
    return Value::of(std::move(result));
}

// differentialEvolution(func, bounds, [X0], [maxIter], [popSize], [mutation], [recombination], [tol], [atol], [polish],
// [seed])
Value evolutionKernel(Context& context, Arguments a) {
    Objective objective(context, functionArgument(a, 0), false);
    EvolutionOptions o;
    const NumberColumns bounds = columnsArgument(a, 1, "bounds", NullCells::Refused);
    if (bounds.rows == 0) refuseArgument(1, "bounds", "a matrix with a row for each parameter", a[1]);
    boundsArgument(a, 1, bounds.rows, o.low, o.high);
    for (size_t k = 0; k < o.low.size(); ++k) {
        if (!std::isfinite(o.high[k] - o.low[k])) refuseArgument(1, "bounds", "finite", a[1]);
    }
    if (isGiven(a, 2)) {
        o.start = startArgument(a, 2).x;
        bool isInside = o.start->size() == o.low.size();
        for (size_t k = 0; isInside && k < o.low.size(); ++k)
            isInside = (*o.start)[k] >= o.low[k] && (*o.start)[k] <= o.high[k];
        if (!isInside) refuseArgument(2, "X0", "one number within the bounds for each parameter", a[2]);
    }
    o.maxIterations = countArgument(a, 3, "maxIter", 1000);
    o.populationFactor = countArgument(a, 4, "popSize", 15, 1);
    if (o.populationFactor > 10000) refuseArgument(4, "popSize", "at most 10000", a[4]);
    const auto parameters = static_cast<double>(o.low.size());
    if (parameters * parameters * static_cast<double>(o.populationFactor) > 1e8)
        throw UserError(4,
                        fmt::format("A population of popSize {} for {} parameters has more than 10^8 numbers.",
                                    o.populationFactor, o.low.size()),
                        "Give a smaller popSize, or fewer parameters.");
    if (isGiven(a, 5)) {
        if (!(a[5].isPair() || a[5].isTypedVector()) || a[5].size() != 2 || !isNumeric(a[5].type()))
            refuseArgument(5, "mutation", "a pair of numbers", a[5]);
        o.minMutation = a[5].at(0).asDouble();
        o.maxMutation = a[5].at(1).asDouble();
        if (!(o.minMutation >= 0 && o.minMutation <= o.maxMutation && o.maxMutation < 2))
            refuseArgument(5, "mutation", "from 0 to below 2, the smaller first", a[5]);
    }
    o.recombination = positiveArgument(a, 6, "recombination", 0.7, true);
    if (o.recombination > 1) refuseArgument(6, "recombination", "from 0 to 1", a[6]);
    o.tolerance = positiveArgument(a, 7, "tol", 0.01, true);
    o.absoluteTolerance = positiveArgument(a, 8, "atol", 0, true);
    o.polish = flagArgument(a, 9, "polish", true);
    std::mt19937_64 seeded = seededGenerator(a, 10, "seed");
    const Minimum found = minimizeByEvolution(objective, o, seeded);
    Ref<Dictionary> result = resultOf(found);
    addMember(*result, "iterations", countValue(found.iterations));
    addMember(*result, "fcalls", countValue(objective.calls()));
    addMember(*result, "converged", Value::ofBool(found.flag == 0));
    return Value::of(std::move(result));
}

constexpr std::string_view kStart =
    "func: a function of the parameters, a vector (a scalar where X0 is one), that gives one number\n"
    "X0: a number, or a vector of up to 10000 of them: where the search begins\n";
constexpr std::string_view kNullPoints = "X0 must hold none. A NULL that func gives counts as no number.";
constexpr std::string_view kStartErrors =
    "func is no function, or gives no number; X0 is not numeric; an option is out of its range.";
constexpr std::string_view kCost = "O(calls of func); each asks whether the request was cancelled";

void registerNewton(FunctionRegistry& registry, const Declaration& calls) {
    registry.add(
        "fminBFGS(func, X0, [fprime], [gtol=1e-5], [norm], [epsilon], [maxIter], [xrtol=0], [c1=1e-4], [c2=0.9])",
        fminBfgsKernel,
        {.summary =
             "The minimum of a function by the method of Broyden, Fletcher, Goldfarb and Shanno: a dictionary of "
             "xopt, fopt, gopt (the gradient), Hinv (the inverse Hessian), gcalls, iterations, fcalls and "
             "warnFlag (0 found; 1 maxIter reached; 2 no lower point along a line; 3 NULL met).",
         .parameters = std::string(kStart) +
                       "fprime: a function that gives the gradient, else it is computed from differences\n"
                       "gtol: a number above 0; a gradient below it ends the search\n"
                       "norm: the order of the gradient's norm, by default the largest component\n"
                       "epsilon: the step of the differences, 1.49e-8\nmaxIter: 200 for each parameter\n"
                       "xrtol: 0 or more; a step below it, relative to X, ends the search\n"
                       "c1, c2: the strong Wolfe conditions of the search along a line, 0 < c1 < c2 < 1",
         .nulls = kNullPoints,
         .errors = kStartErrors,
         .complexity = kCost,
         .source = "Nocedal, Wright, Numerical Optimization, chapter 6; Moré, Thuente 1994",
         .example = "round(fminBFGS(x -> sum(x * x), [3.0, -4.0])[`xopt], 4) -> [0,0]"},
        calls);
    registry.add(
        "fminNCG(func, X0, fprime, fhess, [xtol=1e-5], [maxIter], [c1=1e-4], [c2=0.9])", fminNcgKernel,
        {.summary =
             "The minimum of a function by Newton's method with conjugate gradients: a dictionary of xopt, fopt, "
             "gcalls, hcalls, iterations, fcalls and warnFlag as of fminBFGS.",
         .parameters = std::string(kStart) +
                       "fprime: a function that gives the gradient\nfhess: a function that gives the matrix of second "
                       "derivatives\nxtol: a number above 0; steps below it for each parameter end the search\n"
                       "maxIter: 200 for each parameter\nc1, c2: as of fminBFGS",
         .nulls = kNullPoints,
         .errors = kStartErrors,
         .complexity = kCost,
         .source = "Nocedal, Wright, Numerical Optimization, chapter 7",
         .example = "round(fminNCG(x -> sum(x * x), [3.0, -4.0], x -> 2 * x, x -> matrix([2.0, 0], [0.0, "
                    "2]))[`xopt], 4) -> [0,0]"},
        calls);
    registry.add(
        "fminLBFGSB(func, X0, [fprime], [bounds], [m=10], [factr=1e7], [pgtol=1e-5], [epsilon=1e-8], [maxIter=15000], "
        "[maxFun=15000], [maxLS=20])",
        fminBoundedKernel,
        {.summary = "The minimum of a function between bounds by the limited-memory method L-BFGS-B: a dictionary of "
                    "xopt, fopt, gopt, iterations, fcalls and warnFlag (0 found; 1 maxIter or maxFun reached; 2 no "
                    "lower point along a line).",
         .parameters = std::string(kStart) +
                       "fprime: a function that gives the gradient, else it is computed from differences\n"
                       "bounds: a matrix with a row (min, max) for each parameter; NULL and infinity are no bound\n"
                       "m: how many steps are remembered, 1 to 1000\n"
                       "factr: a fall below factr times the machine's precision ends the search\n"
                       "pgtol: a projected gradient below it ends the search\nepsilon: the step of the differences\n"
                       "maxIter, maxFun: the most iterations and calls\nmaxLS: the most steps along a line",
         .nulls = kNullPoints,
         .errors = kStartErrors,
         .complexity = kCost,
         .source = "Byrd, Lu, Nocedal, Zhu 1995; Morales, Nocedal 2011",
         .example = "fminLBFGSB(x -> sum(x * x), [3.0, -4.0], , matrix([1.0, -9], [5.0, 9]))[`xopt].round(4) -> [1,0]"},
        calls);
}

}  // namespace

void registerMinimizers(FunctionRegistry& registry) {
    // The functions that they call may have any effect.
    const Declaration calls{.kind = FunctionKind::HigherOrder};
    registry.add(
        "fmin(func, X0, [xtol=0.0001], [ftol=0.0001], [maxIter], [maxFun])", fminKernel,
        {.summary = "The minimum of a function by the simplex of Nelder and Mead: a dictionary of xopt, fopt, "
                    "iterations, fcalls and warnFlag (0 found; 1 maxFun, 2 maxIter reached).",
         .parameters = std::string(kStart) +
                       "xtol, ftol: numbers above 0; corners as near as this, with values as near, end the search\n"
                       "maxIter, maxFun: the most iterations and calls, 200 for each parameter when both are left out",
         .nulls = kNullPoints,
         .errors = kStartErrors,
         .complexity = kCost,
         .source = "Nelder, Mead 1965",
         .example = "round(fmin(x -> (x - 2) * (x - 2), 1.0)[`xopt], 3) -> [2]"},
        calls);
    registerNewton(registry, calls);
    registry.add(
        "fminSLSQP(func, X0, [fprime], [constraints], [bounds], [ftol=1e-6], [epsilon], [maxIter=100])",
        fminSequentialKernel,
        {.summary = "The minimum of a function under constraints by sequential quadratic programs: a dictionary of "
                    "xopt, fopt, iterations and mode (0 found; 4 the constraints contradict each other; 8 the "
                    "direction does not descend; 9 maxIter reached).",
         .parameters = std::string(kStart) +
                       "fprime: a function that gives the gradient, else it is computed from differences\n"
                       "constraints: a dictionary or a tuple of them, with type (eq: fun is 0; ineq: fun is at least "
                       "0), fun (gives a number or a vector) and jac (gives its gradients: a matrix with a row for "
                       "each parameter)\n"
                       "bounds: a matrix with a row (min, max) for each parameter\n"
                       "ftol: the accuracy, above 0\nepsilon: the step of the differences, 1.49e-8",
         .nulls = kNullPoints,
         .errors = "As of fminBFGS; a constraint lacks a member; there are more equalities than parameters.",
         .complexity = kCost,
         .source = "Kraft 1988, A software package for sequential quadratic programming",
         .example = "round(fminSLSQP(x -> sum(x * x), [3.0, 1.0], , {type: \"eq\", fun: x -> sum(x) - 2})[`xopt], 4) "
                    "-> [1,1]"},
        calls);
    registry.add("brute(func, ranges, [ns=20], [finish=fmin])", bruteKernel,
                 {.summary = "The lowest point of a grid, then made finer: a dictionary of xopt and fopt.",
                  .parameters = "func: a function of the parameters, a vector, that gives one number\n"
                                "ranges: a tuple of (low, high) or (low, high, num) for each parameter\n"
                                "ns: the points of a range without num\n"
                                "finish: a function of func and a point that gives a dictionary of xopt and fopt; NULL "
                                "keeps the point of the grid",
                  .nulls = "ranges must hold none.",
                  .errors = "The grid has more than 10^8 points; func gives no number.",
                  .complexity = "O(points of the grid)",
                  .example = "brute(x -> sum(x * x), [(-1.0, 1.0, 3), (-1.0, 1.0, 3)], , NULL)[`xopt] -> [0,0]"},
                 calls);
    registry.add(
        "differentialEvolution(func, bounds, [X0], [maxIter=1000], [popSize=15], [mutation], [recombination=0.7], "
        "[tol=0.01], [atol=0], [polish=true], [seed])",
        evolutionKernel,
        {.summary = "The global minimum of a function by differential evolution: a dictionary of xopt, fopt, "
                    "iterations, fcalls and converged.",
         .parameters = "func: a function of the parameters, a vector, that gives one number\n"
                       "bounds: a matrix with a row (min, max) for each parameter\n"
                       "X0: a vector, the first member of the population\nmaxIter: the most generations\n"
                       "popSize: members for each parameter whose bounds differ; times the square of the parameters "
                       "at most 10^8\n"
                       "mutation: a pair, the range of the factor, from 0 to below 2, by default 0.5 : 1\n"
                       "recombination: the share of parameters that are crossed, 0 to 1\n"
                       "tol, atol: the spread of the population's values that ends the search\n"
                       "polish: whether fminLBFGSB goes on from the best member\n"
                       "seed: an integer that makes the result repeatable",
         .nulls = "bounds and X0 must hold none; a NULL that func gives counts as infinite.",
         .errors = "func gives no number; X0 is outside of the bounds; an option is out of its range.",
         .complexity = kCost,
         .source = "Storn, Price 1997",
         .example =
             "round(differentialEvolution(x -> sum(x * x), matrix([-1.0, -1], [2.0, 2]), seed=1)[`fopt], 4) -> 0"},
        calls);
}

}  // namespace pelorus
