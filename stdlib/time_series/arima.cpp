#include "stdlib/time_series/arima.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/models/training.h"
#include "stdlib/optimisation/computed_objective.h"
#include "stdlib/optimisation/minimizers.h"
#include "stdlib/register_builtins.h"
#include "stdlib/time_series/arma_likelihood.h"

namespace pelorus {

namespace {

// The orders of a model, and the data after differencing.
struct ArimaModel {
    size_t p = 0, q = 0, seasonP = 0, seasonQ = 0, period = 1;
    bool isStationary = true, isInvertible = true;
    std::vector<double> y;
    std::vector<std::vector<double>> regressors;

    size_t freeParameters() const { return p + q + seasonP + seasonQ; }
    // Returns the coefficients that free numbers stand for: ar, ma, seasonal ar, seasonal ma.
    std::vector<double> coefficients(const std::vector<double>& free) const {
        std::vector<double> all;
        size_t at = 0;
        const auto take = [&](size_t count, bool isBound, double sign) {
            std::vector<double> part(free.begin() + static_cast<ptrdiff_t>(at),
                                     free.begin() + static_cast<ptrdiff_t>(at + count));
            at += count;
            if (isBound) part = stationaryCoefficients(part);
            for (const double c : part) all.push_back(isBound ? sign * c : c);
        };
        take(p, isStationary, 1);
        take(q, isInvertible, -1);
        take(seasonP, isStationary, 1);
        take(seasonQ, isInvertible, -1);
        return all;
    }
    ArmaProcess process(const std::vector<double>& all) const {
        auto at = all.begin();
        const auto take = [&](size_t count) {
            std::vector<double> part(at, at + static_cast<ptrdiff_t>(count));
            at += static_cast<ptrdiff_t>(count);
            return part;
        };
        ArmaProcess steps, seasons;
        steps.ar = take(p);
        steps.ma = take(q);
        seasons.ar = take(seasonP);
        seasons.ma = take(seasonQ);
        return seasonalProcess(steps, seasons, period);
    }
};

std::vector<double> differenced(std::vector<double> x, size_t times, size_t lag) {
    for (size_t k = 0; k < times; ++k) {
        std::vector<double> next;
        for (size_t i = lag; i < x.size(); ++i) next.push_back(x[i] - x[i - lag]);
        x = std::move(next);
    }
    return x;
}

std::vector<size_t> ordersArgument(Arguments a, size_t i, std::string_view name, size_t count) {
    constexpr int64_t kMost = 400;
    std::vector<size_t> orders;
    if (!isGiven(a, i)) return std::vector<size_t>(count, 0);
    const std::vector<double> given = columnArgument(a, i, name, NullCells::Refused);
    for (const double order : given) {
        if (!(order >= 0 && order <= kMost) || order != std::floor(order)) break;
        orders.push_back(static_cast<size_t>(order));
    }
    if (orders.size() != count || given.size() != count)
        refuseArgument(i, name, fmt::format("{} whole numbers from 0 to {}", count, kMost), a[i]);
    return orders;
}

// arima(ds, endogColName, order, [seasonalOrder], [exog], [trend], [enforceStationarity], [enforceInvertibility],
// [concentrateScale], [trendOffset], [maxIter])
Value arimaKernel(Context& context, Arguments a) {
    const std::string column = stringArgument(a, 1, "endogColName");
    const std::vector<size_t> order = ordersArgument(a, 2, "order", 3),
                              season = ordersArgument(a, 3, "seasonalOrder", 4);
    const bool isSeasonal = season[0] + season[1] + season[2] > 0;
    if (isSeasonal && season[3] < 2) refuseArgument(3, "seasonalOrder", "with a period of 2 or more", a[3]);
    ArimaModel m{
        .p = order[0], .q = order[2], .seasonP = season[0], .seasonQ = season[2], .period = isSeasonal ? season[3] : 1};
    const size_t most = std::max(m.p + m.seasonP * m.period, m.q + m.seasonQ * m.period + 1);
    if (most > 500) throw UserError(2, fmt::format("The model looks back {} steps; 500 are the most.", most));
    m.isStationary = flagArgument(a, 6, "enforceStationarity", true);
    m.isInvertible = flagArgument(a, 7, "enforceInvertibility", true);
    const bool isConcentrated = flagArgument(a, 8, "concentrateScale", false);
    std::vector<double> y = namedColumns(gatheredTable(context, a, 0), 0, {column}, NullCells::Refused).columns[0];
    const bool differs = order[1] + season[1] > 0;
    const std::string trend = stringArgument(a, 5, "trend", differs ? "n" : "c");
    if (trend != "n" && trend != "c" && trend != "t" && trend != "ct")
        refuseArgument(5, "trend", "n, c, t or ct", a[5]);
    if (differs && trend.starts_with("c")) refuseArgument(5, "trend", "n or t where the series is differenced", a[5]);
    const auto offset = static_cast<double>(integerArgument(a, 9, "trendOffset", 1));
    if (trend.starts_with("c")) m.regressors.emplace_back(y.size(), 1.0);
    if (trend.ends_with("t")) {
        std::vector<double>& line = m.regressors.emplace_back();
        for (size_t i = 0; i < y.size(); ++i) line.push_back(offset + static_cast<double>(i));
    }
    if (isGiven(a, 4)) {
        const NumberColumns exog = columnsArgument(a, 4, "exog", NullCells::Refused);
        if (exog.rows != y.size()) throw UserError(4, fmt::format("exog has {} rows for {}.", exog.rows, y.size()));
        m.regressors.insert(m.regressors.end(), exog.columns.begin(), exog.columns.end());
    }
    const auto prepare = [&](std::vector<double> x) {
        return differenced(differenced(std::move(x), season[1], m.period), order[1], 1);
    };
    m.y = prepare(std::move(y));
    for (auto& regressor : m.regressors) regressor = prepare(std::move(regressor));
    const size_t parameters = m.freeParameters() + m.regressors.size() + !isConcentrated;
    if (m.y.size() <= parameters)
        throw UserError(0, fmt::format("{} rows are too few for {} parameters.", m.y.size(), parameters));
    const int64_t maxIterations = integerArgument(a, 10, "maxIter", 50);
    if (maxIterations < 1) refuseArgument(10, "maxIter", "1 or more", a[10]);
    std::vector<double> free(m.freeParameters(), 0.1);
    if (!free.empty()) {
        const Ref<Function> function = makeRef<ComputedObjective>("arima", [&m](Context& at, const Point& x) {
            const ArmaLikelihood l =
                armaLikelihood(m.y, m.regressors, m.process(m.coefficients(x)), [&at] { at.checkCancelled(); });
            constexpr double kFar = 1e10;
            return l.exists ? -l.logLikelihood / static_cast<double>(m.y.size()) : kFar;
        });
        Objective objective(context, *function, false);
        free = minimizeBfgs(objective, free, {.gradientTolerance = 1e-7, .maxIterations = maxIterations}).x;
    }
    const std::vector<double> all = m.coefficients(free);
    const ArmaLikelihood l = armaLikelihood(m.y, m.regressors, m.process(all), [&] { context.checkCancelled(); });
    if (!l.exists)
        throw UserError(0, "No coefficients fit the series.", "Take lower orders, or difference the series.");
    std::vector<double> shown = l.coefficients;
    shown.insert(shown.end(), all.begin(), all.end());
    if (!isConcentrated) shown.push_back(l.variance);
    const auto k = static_cast<double>(shown.size() + isConcentrated), n = static_cast<double>(m.y.size());
    auto result = makeRef<Dictionary>(Type::String, Type::Any, true);
    addMember(*result, "params", realsOf(shown));
    addMember(*result, "llf", Value::ofDouble(l.logLikelihood));
    addMember(*result, "aic", Value::ofDouble(2 * k - 2 * l.logLikelihood));
    addMember(*result, "bic", Value::ofDouble(k * std::log(n) - 2 * l.logLikelihood));
    addMember(*result, "hqic", Value::ofDouble(2 * k * std::log(std::log(n)) - 2 * l.logLikelihood));
    return Value::of(std::move(result));
}

}  // namespace

void registerArima(FunctionRegistry& registry) {
    registry.add(
        "arima(ds, endogColName, order, [seasonalOrder], [exog], [trend], [enforceStationarity=true], "
        "[enforceInvertibility=true], [concentrateScale=false], [trendOffset=1], [maxIter=50])",
        arimaKernel,
        {.summary =
             "An autoregressive integrated moving average, by exact maximum likelihood: a dictionary of params (trend, "
             "exog, ar, ma, seasonal ar and ma, variance), llf (log likelihood), aic, bic and hqic.",
         .parameters = "ds: a table, or data sources as sqlDS gives them\nendogColName: the name of the series\n"
                       "order: (p, d, q), the ar terms, differences and ma terms\n"
                       "seasonalOrder: (P, D, Q, s), the same for steps of a period s\n"
                       "exog: a matrix of further factors, with as many rows\n"
                       "trend: n none, c a constant (the mean; default without differences), t a line, ct both\n"
                       "enforceStationarity, enforceInvertibility: ar and ma terms are searched for among those of "
                       "stationary and invertible processes\nconcentrateScale: params leaves the variance out\n"
                       "trendOffset: the first value of the line\nmaxIter: the most iterations, from 1",
         .nulls = "There must be none.",
         .errors = "There is no such column; rows are too few; the model looks back more than 500 steps.",
         .complexity = "O(rows · steps that the model looks back²) for each call of the likelihood",
         .source = "Harvey 1989, section 3.4; Monahan 1984; BFGS as of fminBFGS",
         .example = "round(arima(table(take(1.0 -1 2 -2 1, 40) as y), `y, [0, 0, 0])[`params], 4) -> [0.2,2.16]"
                    "\narima(table(take(1.0 -1 2 -2 1, 40) as y), `y, [0, 0, 0])"});
}

}  // namespace pelorus
