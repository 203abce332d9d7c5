// piecewiseLinFit and pwlfPredict: connected straight lines whose breaks are searched for.
#include <fmt/format.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/interpolation/interpolation_arguments.h"
#include "stdlib/matrix/dense_solve.h"
#include "stdlib/models/training.h"
#include "stdlib/optimisation/minimizer_arguments.h"
#include "stdlib/random.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

// The curves that the fit is a combination of: 1, then x - b0, then (x - b) above each inner break; for degree 0 steps;
// for higher degrees their powers, too.
std::vector<double> basisAt(const std::vector<double>& breaks, int64_t degree, double x) {
    std::vector<double> basis;
    if (degree == 0) {
        for (size_t i = 0; i + 1 < breaks.size(); ++i) basis.push_back(i == 0 || x > breaks[i]);
        return basis;
    }
    basis.push_back(1);
    for (int64_t k = 1; k <= degree; ++k) {
        for (size_t i = 0; i + 1 < breaks.size(); ++i) {
            const double above = i == 0 || x > breaks[i] ? x - breaks[i] : 0;
            basis.push_back(std::pow(above, static_cast<double>(k)));
        }
    }
    return basis;
}

struct PiecewiseData {
    std::vector<double> x, y, weights, fixedX, fixedY;
    int64_t degree = 1;
};

struct PiecewiseFit {
    std::vector<double> beta;
    double squares = std::numeric_limits<double>::infinity();
};

// Solves for the coefficients at given breaks: least squares, with the points that must be met as equations.
PiecewiseFit fitAt(const PiecewiseData& d, const std::vector<double>& breaks) {
    const size_t p = basisAt(breaks, d.degree, d.x[0]).size(), n = d.x.size(), fixed = d.fixedX.size();
    std::vector<double> rows(n * p), right(std::max(n, p), 0.0);
    for (size_t i = 0; i < n; ++i) {
        const std::vector<double> basis = basisAt(breaks, d.degree, d.x[i]);
        const double w = d.weights.empty() ? 1 : d.weights[i];
        for (size_t c = 0; c < p; ++c) rows[c * n + i] = basis[c] * w;
        right[i] = d.y[i] * w;
    }
    PiecewiseFit fit;
    if (fixed == 0) {
        std::vector<double> singular(std::min(n, p)), cells = rows, solution = right;
        lapack_int rank = 0;
        const bool isFinite = std::ranges::all_of(cells, [](double v) { return std::isfinite(v); });
        if (!isFinite || LAPACKE_dgelsd(LAPACK_COL_MAJOR, static_cast<lapack_int>(n), static_cast<lapack_int>(p), 1,
                                        cells.data(), static_cast<lapack_int>(n), solution.data(),
                                        static_cast<lapack_int>(solution.size()), singular.data(), 1e-12, &rank) != 0)
            return fit;
        solution.resize(p);
        fit.beta = solution;
    } else {
        const size_t size = p + fixed;
        std::vector<double> system(size * size, 0.0), b(size, 0.0);
        for (size_t c = 0; c < p; ++c) {
            for (size_t r = 0; r < p; ++r) {
                for (size_t i = 0; i < n; ++i) system[c * size + r] += 2 * rows[c * n + i] * rows[r * n + i];
            }
            for (size_t i = 0; i < n; ++i) b[c] += 2 * rows[c * n + i] * right[i];
        }
        for (size_t k = 0; k < fixed; ++k) {
            const std::vector<double> basis = basisAt(breaks, d.degree, d.fixedX[k]);
            for (size_t c = 0; c < p; ++c) system[c * size + p + k] = system[(p + k) * size + c] = basis[c];
            b[p + k] = d.fixedY[k];
        }
        if (!solveDense(std::move(system), b, size)) return fit;
        b.resize(p);
        fit.beta = b;
    }
    fit.squares = 0;
    for (size_t i = 0; i < n; ++i) {
        double rest = right[i];
        for (size_t c = 0; c < p; ++c) rest -= rows[c * n + i] * fit.beta[c];
        fit.squares += rest * rest;
    }
    return fit;
}

std::vector<double> allBreaks(const Point& inner, double low, double high) {
    std::vector<double> breaks = inner;
    for (double& b : breaks) b = std::clamp(b, low, high);
    std::ranges::sort(breaks);
    breaks.insert(breaks.begin(), low);
    breaks.push_back(high);
    return breaks;
}

// The squares that are left, as a function that minimizers call.
class BreakFunction final : public Function {
public:
    BreakFunction(const PiecewiseData& data, double low, double high) : data_(data), low_(low), high_(high) {
        signature_.parameters.push_back({.name = "breaks"});
    }
    std::string_view name() const override { return "breaks"; }
    const Signature& signature() const override { return signature_; }
    Value call(Context& context, std::span<Value> arguments) const override {
        context.checkCancelled();
        std::vector<Value> one(arguments.begin(), arguments.end());
        const std::vector<double> inner = numbersArgument(one, 0, "breaks");
        return Value::ofDouble(fitAt(data_, allBreaks(inner, low_, high_)).squares);
    }
    std::string_view portableKind() const override { return ""; }
    Value save() const override { return {}; }

private:
    const PiecewiseData& data_;
    double low_, high_;
    Signature signature_;
};

// Reads a count that may stand in a vector.
int64_t iterationsArgument(Arguments a, size_t i, int64_t usual) {
    if (isGiven(a, i) && a[i].isTypedVector() && a[i].size() > 0) {
        std::vector<Value> first = {a[i].at(0)};
        return countArgument(first, 0, "maxIter", usual, 1);
    }
    return countArgument(a, i, "maxIter", usual, 1);
}

Point searchedBreaks(Context& context, Arguments a, const PiecewiseData& data, size_t inner, double low, double high) {
    const Ref<BreakFunction> squares = makeRef<BreakFunction>(data, low, high);
    const std::string method = stringArgument(a, 9, "method", "de");
    Objective objective(context, *squares, false);
    Point least(inner, low), most(inner, high), start;
    boundsArgument(a, 5, inner, least, most);
    std::mt19937_64 random = seededGenerator(a, 12, "seed");
    if (isGiven(a, 11)) {
        start = columnArgument(a, 11, "initialGuess", NullCells::Refused);
        if (start.size() != inner) refuseArgument(11, "initialGuess", fmt::format("{} numbers", inner), a[11]);
    }
    if (method == "de") {
        EvolutionOptions o{.low = least,
                           .high = most,
                           .maxIterations = iterationsArgument(a, 10, 1000),
                           .populationFactor = 50,
                           .tolerance = 1e-3};
        if (!start.empty()) o.start = start;
        return minimizeByEvolution(objective, o, random).x;
    }
    if (start.empty()) {
        for (size_t i = 0; i < inner; ++i) start.push_back(least[i] + (most[i] - least[i]) * unitOf(random));
    }
    if (method == "nm") {
        NelderMeadOptions o;
        if (isGiven(a, 10)) o.maxIterations = iterationsArgument(a, 10, 1);
        return minimizeNelderMead(objective, start, o).x;
    }
    if (method == "bfgs") {
        QuasiNewtonOptions o;
        if (isGiven(a, 10)) o.maxIterations = iterationsArgument(a, 10, 1);
        return minimizeBfgs(objective, start, o).x;
    }
    if (method == "lbfgs")
        return minimizeBounded(objective, start,
                               {.low = least, .high = most, .maxIterations = iterationsArgument(a, 10, 15000)})
            .x;
    if (method == "slsqp")
        return minimizeSequential(objective, start, {},
                                  {.low = least, .high = most, .maxIterations = iterationsArgument(a, 10, 100)})
            .x;
    refuseArgument(9, "method", "nm, bfgs, lbfgs, slsqp or de", a[9]);
}

Value numbersOrNothing(const std::vector<double>& numbers) {
    return numbers.empty() ? Value() : realsOf(numbers);
}

// piecewiseLinFit(X, Y, numSegments, [XC], [YC], [bounds], [lapackDriver], [degree], [weights], [method], [maxIter],
// [initialGuess], [seed])
Value piecewiseFitKernel(Context& context, Arguments a) {
    PiecewiseData d;
    d.x = numbersArgument(a, 0, "X");
    d.y = valuesArgument(a, 1, "Y", d.x);
    const int64_t segments = integerArgument(a, 2, "numSegments");
    if (segments < 1 || segments > 1000) refuseArgument(2, "numSegments", "from 1 to 1000", a[2]);
    if (isGiven(a, 3) != isGiven(a, 4)) throw UserError(3, "Give XC and YC together.");
    if (isGiven(a, 3)) {
        d.fixedX = a[3].isScalar() ? std::vector{realArgument(a, 3, "XC")} : numbersArgument(a, 3, "XC");
        d.fixedY = a[4].isScalar() ? std::vector{realArgument(a, 4, "YC")} : valuesArgument(a, 4, "YC", d.fixedX);
        if (d.fixedX.size() != d.fixedY.size()) throw UserError(4, "XC and YC differ in length.");
    }
    const std::string driver = stringArgument(a, 6, "lapackDriver", "gelsd");
    if (driver != "gelsd" && driver != "gelsy" && driver != "gelss")
        refuseArgument(6, "lapackDriver", "gelsd, gelsy or gelss", a[6]);
    d.degree = integerArgument(a, 7, "degree", 1);
    if (d.degree < 0 || d.degree > 20) refuseArgument(7, "degree", "from 0 to 20", a[7]);
    if (isGiven(a, 8)) d.weights = valuesArgument(a, 8, "weights", d.x);
    if (d.x.size() < 2) refuseArgument(0, "X", "two numbers or more", a[0]);
    const double low = std::ranges::min(d.x), high = std::ranges::max(d.x);
    if (!(low < high) || !std::isfinite(high - low)) refuseArgument(0, "X", "numbers that differ", a[0]);
    const auto inner = static_cast<size_t>(segments - 1);
    const std::vector<double> breaks =
        allBreaks(inner == 0 ? Point{} : searchedBreaks(context, a, d, inner, low, high), low, high);
    const PiecewiseFit fit = fitAt(d, breaks);
    if (fit.beta.empty()) throw UserError(0, "No lines fit the points.", "Take fewer segments.");
    const Ref<Dictionary> model = makeModel("Piecewise Linear Regression", "pwlfPredict");
    addMember(*model, "breaks", realsOf(breaks));
    addMember(*model, "beta", realsOf(fit.beta));
    addMember(*model, "xData", realsOf(d.x));
    addMember(*model, "yData", realsOf(d.y));
    addMember(*model, "XC", numbersOrNothing(d.fixedX));
    addMember(*model, "YC", numbersOrNothing(d.fixedY));
    addMember(*model, "weights", numbersOrNothing(d.weights));
    addMember(*model, "degree", Value::ofInt(static_cast<int32_t>(d.degree)));
    addMember(*model, "lapackDriver", Value::ofString(driver));
    addMember(*model, "numParameters", Value::ofInt(static_cast<int32_t>(fit.beta.size())));
    return Value::of(model);
}

// pwlfPredict(model, X, [beta], [breaks])
Value piecewisePredictKernel(Context&, Arguments a) {
    const int64_t degree = modelInteger(a, "degree");
    if (degree < 0 || degree > 20) throw UserError(0, "The member degree of the model is out of its range.");
    const std::vector<double> beta = isGiven(a, 2) ? numbersArgument(a, 2, "beta") : modelNumbers(a, "beta");
    const std::vector<double> breaks = isGiven(a, 3) ? numbersArgument(a, 3, "breaks") : modelNumbers(a, "breaks");
    requireAscending(breaks, 3, "breaks", 2, false);
    if (basisAt(breaks, degree, breaks[0]).size() != beta.size())
        throw UserError(
            2, fmt::format("beta has {} numbers for {} breaks of degree {}.", beta.size(), breaks.size(), degree));
    return mapReals(a, 1, "X", [&](double x) {
        const std::vector<double> basis = basisAt(breaks, degree, x);
        double y = 0;
        for (size_t i = 0; i < beta.size(); ++i) y += beta[i] * basis[i];
        return y;
    });
}

}  // namespace

void registerPiecewiseLinear(FunctionRegistry& registry) {
    const Declaration draws{.effect = Effect::Volatile};
    registry.add(
        "piecewiseLinFit(X, Y, numSegments, [XC], [YC], [bounds], [lapackDriver='gelsd'], [degree=1], [weights], "
        "[method='de'], [maxIter], [initialGuess], [seed])",
        piecewiseFitKernel,
        {.summary = "Connected straight lines with the breaks that leave the least squares, as a model.",
         .parameters = "X, Y: vectors of numbers\nnumSegments: how many lines, 1 to 1000\n"
                       "XC, YC: points that the lines must meet\nbounds: a matrix with a row (min, max) for each inner "
                       "break\nlapackDriver: gelsd, gelsy or gelss; all give the same\n"
                       "degree: of the polynomials, 0 (steps) to 20\nweights: a number for each point, one over its "
                       "standard deviation\nmethod: how breaks are searched: nm, bfgs, lbfgs, slsqp or de\n"
                       "maxIter: the most iterations\ninitialGuess: the inner breaks to begin with\n"
                       "seed: an integer that makes the result repeatable",
         .nulls = "There must be none.",
         .errors = "X and Y differ in length; X does not vary; an option is out of its range.",
         .complexity = "O(calls · points · parameters²)",
         .source = "Jekel, Venter 2019, pwlf; the methods of fmin and differentialEvolution",
         .example = "round(piecewiseLinFit(0.0 1 2 3 4, 0.0 1 2 1 0, 2, seed=1)[`breaks], 3) -> [0,2,4]"},
        draws);
    registry.add("pwlfPredict(model, X, [beta], [breaks])", piecewisePredictKernel,
                 {.summary = "The values of lines that piecewiseLinFit gave, as DOUBLE.",
                  .parameters = "model: the dictionary\nX: a number or a vector of numbers\n"
                                "beta, breaks: coefficients and breaks in place of those of the model",
                  .nulls = "NULL for NULL in X.",
                  .errors = "The model lacks a member; beta and breaks do not fit together.",
                  .complexity = "O(elements · parameters)",
                  .example = "round(pwlfPredict(piecewiseLinFit(0.0 1 2 3 4, 0.0 1 2 1 0, 2, seed=1), 0.5 3.5), 3) -> "
                             "[0.5,0.5]"
                             "\npwlfPredict(piecewiseLinFit(0.0 1 2 3 4, 0.0 1 2 1 0, 2, seed=1), 0.5 3.5)"});
}

}  // namespace pelorus
