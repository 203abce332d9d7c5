// garch and garchPredict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/models/training.h"
#include "stdlib/optimisation/computed_objective.h"
#include "stdlib/optimisation/minimizers.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"
#include "stdlib/time_series/volatility.h"

namespace pelorus {

namespace {

constexpr int64_t kMostTerms = 100;

// A series with the numbers of terms. Free numbers stand for a model whose variances are positive and have a mean: the
// logarithm of the constant over the variance of the series, weights of the terms by shares of one, and the mean.
struct GarchSeries {
    std::vector<double> y;
    size_t garchTerms, archTerms;
    double mean = 0, variance = 0, before = 0;

    Volatility model(const Point& free) const {
        Volatility v{.mean = mean + std::sqrt(variance) * free.back(), .constant = variance * std::exp(free[0])};
        const size_t terms = archTerms + garchTerms;
        double most = 0;
        for (size_t i = 1; i <= terms; ++i) most = std::max(most, free[i]);
        double sum = std::exp(-most);
        for (size_t i = 1; i <= terms; ++i) sum += std::exp(free[i] - most);
        for (size_t i = 1; i <= terms; ++i)
            (i <= archTerms ? v.arch : v.garch).push_back(std::exp(free[i] - most) / sum);
        return v;
    }
    // Returns the free numbers of a model whose terms sum to 0.9, a tenth of it of the squares.
    Point start() const {
        const auto free = [](double part, size_t terms) { return std::log(part / static_cast<double>(terms) / 0.1); };
        Point point = {std::log(0.1)};
        point.insert(point.end(), archTerms, free(0.1, archTerms));
        point.insert(point.end(), garchTerms, free(0.8, garchTerms));
        point.push_back(0);
        return point;
    }
};

GarchSeries seriesOf(std::vector<double> y, size_t garchTerms, size_t archTerms) {
    GarchSeries s{.y = std::move(y), .garchTerms = garchTerms, .archTerms = archTerms};
    const auto n = static_cast<double>(s.y.size());
    s.mean = std::accumulate(s.y.begin(), s.y.end(), 0.0) / n;
    for (const double v : s.y) s.variance += (v - s.mean) * (v - s.mean) / n;
    s.before = backcast(s.y, s.mean);
    return s;
}

// garch(ds, endogColName, order, [maxIter])
Value garchKernel(Context& context, Arguments a) {
    const std::string column = stringArgument(a, 1, "endogColName");
    const std::vector<double> order = columnArgument(a, 2, "order", NullCells::Refused);
    const auto isTerms = [](double terms) { return terms >= 1 && terms <= kMostTerms && terms == std::floor(terms); };
    if (order.size() != 2 || !std::ranges::all_of(order, isTerms))
        refuseArgument(2, "order", fmt::format("two whole numbers from 1 to {}", kMostTerms), a[2]);
    const int64_t maxIterations = integerArgument(a, 3, "maxIter", 50);
    if (maxIterations < 1) refuseArgument(3, "maxIter", "1 or more", a[3]);
    const NumberColumns series = namedColumns(gatheredTable(context, a, 0), 0, {column}, NullCells::Refused);
    const double parameters = 2 + order[0] + order[1];
    if (static_cast<double>(series.rows) <= parameters)
        throw UserError(0, fmt::format("{} rows are too few for {} parameters.", series.rows, parameters));
    const GarchSeries s = seriesOf(series.columns[0], static_cast<size_t>(order[0]), static_cast<size_t>(order[1]));
    if (!std::isfinite(s.variance) || !(s.variance > 0) || !(s.before > 0))
        throw UserError(0, "The series does not vary, or its squares are too large for DOUBLE.");
    const auto n = static_cast<double>(s.y.size());
    const Ref<Function> function = makeRef<ComputedObjective>("garch", [&](Context& at, const Point& x) {
        at.checkCancelled();
        const double likelihood = logLikelihood(s.model(x), s.y, s.before);
        return std::isnan(likelihood) ? std::numeric_limits<double>::max() : -likelihood / n;
    });
    Objective objective(context, *function, false);
    const Minimum found =
        minimizeBfgs(objective, s.start(), {.gradientTolerance = 1e-8, .maxIterations = maxIterations});
    const Volatility v = s.model(found.x);
    const double likelihood = logLikelihood(v, s.y, s.before);
    if (std::isnan(likelihood)) throw UserError(0, "No coefficients fit the series.", "Take lower orders.");
    Point coefficients = {v.constant};
    coefficients.insert(coefficients.end(), v.garch.begin(), v.garch.end());
    coefficients.insert(coefficients.end(), v.arch.begin(), v.arch.end());
    coefficients.push_back(v.mean);
    const Ref<Dictionary> model = makeModel("GARCH", "garchPredict");
    addMember(*model, "volConstant", Value::ofDouble(v.constant));
    addMember(*model, "returnsConstant", Value::ofDouble(v.mean));
    addMember(*model, "archTerm", realsOf(v.arch));
    addMember(*model, "garchTerm", realsOf(v.garch));
    addMember(*model, "iterations", Value::ofInt(static_cast<int32_t>(found.iterations)));
    addMember(*model, "aic", Value::ofDouble(2 * parameters - 2 * likelihood));
    addMember(*model, "bic", Value::ofDouble(std::log(n) * parameters - 2 * likelihood));
    addMember(*model, "nobs", Value::ofInt(static_cast<int32_t>(s.y.size())));
    auto fitted = orderedResult();
    addMember(*fitted, "order",
              Value::of(Vector::of(
                  Type::Int, std::vector<int32_t>{static_cast<int32_t>(order[0]), static_cast<int32_t>(order[1])})));
    addMember(*fitted, "endog", matrixOf(s.y, s.y.size(), 1));
    addMember(*fitted, "coefficients", realsOf(coefficients));
    addMember(*model, "model", Value::of(std::move(fitted)));
    return Value::of(model);
}

// garchPredict(model, x)
Value garchPredictKernel(Context& context, Arguments a) {
    constexpr int64_t kMostSteps = 100'000'000;
    const int64_t steps = integerArgument(a, 1, "x");
    if (steps < 1 || steps > kMostSteps) refuseArgument(1, "x", "from 1 to 100000000 steps", a[1]);
    std::vector<Value> inner = {modelMember(a, "model")};
    const std::vector<double> y = modelNumbers(inner, "endog");
    if (y.empty()) throw UserError(0, "The model holds no series.", "Give what garch returned.");
    const Volatility v{.mean = modelNumber(a, "returnsConstant"),
                       .constant = modelNumber(a, "volConstant"),
                       .arch = modelNumbers(a, "archTerm"),
                       .garch = modelNumbers(a, "garchTerm")};
    const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
    return realsOf(
        forecastVariances(v, y, backcast(y, mean), static_cast<size_t>(steps), [&] { context.checkCancelled(); }));
}

}  // namespace

void registerGarch(FunctionRegistry& registry) {
    registry.add("garchPredict(model, x)", garchPredictKernel,
                 {.summary = "The variances that a model of garch expects of the next steps, as a vector of DOUBLE.",
                  .parameters = "model: what garch returned\nx: the number of steps, from 1 to 10^8",
                  .errors = "model is none of garch; x is below 1.",
                  .complexity = "O((rows + x) · terms)",
                  .source = "Bollerslev 1986",
                  .example = "size(garchPredict(garch(table(norm(0, 1, 50) as y), `y, 1 1), 3)) -> 3"});
    registry.add(
        "garch(ds, endogColName, order, [maxIter=50])", garchKernel,
        {.summary =
             "A generalized autoregressive conditional heteroskedasticity with a constant mean and normal errors, by "
             "maximum likelihood, as a model: volConstant, returnsConstant (the mean), archTerm (weights of the last "
             "squared errors), garchTerm (weights of the last variances), iterations, aic, bic, nobs, and model with "
             "order, endog and coefficients (volConstant, garchTerm, archTerm, returnsConstant).",
         .parameters = "ds: a table, or data sources as sqlDS gives them\nendogColName: the name of the series\n"
                       "order: (p, q), the terms of variances and those of squared errors, each from 1 to 100\n"
                       "maxIter: the most iterations, from 1",
         .nulls = "There must be none.",
         .errors = "There is no such column; rows are too few; the series does not vary.",
         .complexity = "O(rows · (p + q)²) for each iteration",
         .source = "Bollerslev 1986; what precedes the first row is RiskMetrics' average of 75 rows; BFGS as of "
                   "fminBFGS",
         .example = "garch(table(take(1.0 -1 2 -2 1, 40) as y), `y, 1 1)[`nobs] -> 40"
                    "\ngarch(table(take(0.01 -0.02 0.03 -0.01 0.005 -0.04 0.002, 60) as y), `y, 1 1)"});
}

}  // namespace pelorus
