// adfuller and coint: tests for unit roots, and for cointegration.
#include <fmt/format.h>

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/table/table.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/named_results.h"
#include "stdlib/number_columns.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"
#include "stdlib/time_series/dense_regression.h"
#include "stdlib/time_series/mackinnon_tables.h"

namespace pelorus {

namespace {

constexpr std::string_view kTrendNames[] = {"n", "c", "ct", "ctt"};
enum class LagChoice : uint8_t { Aic, Bic, TStatistic, Max };

size_t trendArgument(Arguments a, size_t i, std::string_view name) {
    const std::string given = stringArgument(a, i, name, "c");
    const auto at = std::ranges::find(kTrendNames, given) - std::begin(kTrendNames);
    if (at == std::ssize(kTrendNames)) refuseArgument(i, name, "n, c, ct or ctt", a[i]);
    return static_cast<size_t>(at);
}
LagChoice lagArgument(Arguments a, size_t i) {
    const std::string given = stringArgument(a, i, "autoLag", "aic");
    if (given == "aic") return LagChoice::Aic;
    if (given == "bic") return LagChoice::Bic;
    if (given == "tstat") return LagChoice::TStatistic;
    if (given == "max") return LagChoice::Max;
    refuseArgument(i, "autoLag", "aic, bic, tstat or max", a[i]);
}

double polynomial(std::span<const double> coefficients, double x) {
    double value = 0;
    for (size_t k = coefficients.size(); k-- > 0;) value = value * x + coefficients[k];
    return value;
}
double probabilityOf(double statistic, size_t trend, size_t variables) {
    const size_t v = variables - 1;
    if (!(statistic <= mackinnon::kLargest[trend][v])) return 1;
    if (statistic < mackinnon::kSmallest[trend][v]) return 0;
    const double quantile = statistic <= mackinnon::kMiddle[trend][v]
                                ? polynomial(mackinnon::kSmall[trend][v], statistic)
                                : polynomial(mackinnon::kLarge[trend][v], statistic);
    return boost::math::cdf(boost::math::normal(), quantile);
}
std::vector<double> criticalValues(size_t trend, size_t variables, double observations) {
    std::vector<double> values;
    const std::span<const double> all = mackinnon::kCritical[trend][variables - 1];
    for (size_t level = 0; level < 3; ++level)
        values.push_back(polynomial(all.subspan(4 * level, 4), 1 / observations));
    return values;
}

// Columns of ones, of 1, 2, 3 … and of their squares, as many as the trend has.
std::vector<std::vector<double>> trendColumns(size_t trend, size_t rows) {
    std::vector<std::vector<double>> columns;
    for (size_t power = 0; power < trend; ++power) {
        std::vector<double>& column = columns.emplace_back();
        for (size_t i = 1; i <= rows; ++i)
            column.push_back(std::pow(static_cast<double>(i), static_cast<double>(power)));
    }
    return columns;
}

struct UnitRoot {
    double statistic = 0, criterion = 0;
    size_t lag = 0, observations = 0;
    DenseRegression regression;
    std::vector<double> criteria;  // of the lags that were tried
};

// The difference, the level before and the differences before that, for so many lags.
struct Lagged {
    std::vector<double> difference;
    std::vector<std::vector<double>> columns;  // the level first
};
Lagged laggedBy(const std::vector<double>& x, size_t lag) {
    Lagged l;
    l.columns.resize(lag + 1);
    for (size_t t = lag + 1; t < x.size(); ++t) {
        l.difference.push_back(x[t] - x[t - 1]);
        l.columns[0].push_back(x[t - 1]);
        for (size_t k = 1; k <= lag; ++k) l.columns[k].push_back(x[t - k] - x[t - k - 1]);
    }
    return l;
}

// Chooses among 0 to `most` lags by one criterion, over the same rows. O(most · rows · most²); asks for cancellation.
size_t chosenLag(const Lagged& all, size_t trend, size_t most, LagChoice choice, UnitRoot& root) {
    std::vector<std::vector<double>> columns = trendColumns(trend, all.difference.size());
    columns.push_back(all.columns[0]);
    std::vector<double> criteria, lastStatistics;
    for (size_t lag = 0; lag <= most; ++lag) {
        checkCancelled();
        if (lag > 0) columns.push_back(all.columns[lag]);
        const DenseRegression r = regress(all.difference, columns);
        const bool isGood = !r.isSingular;
        criteria.push_back(!isGood ? HUGE_VAL : choice == LagChoice::Bic ? r.bic() : r.aic());
        lastStatistics.push_back(isGood ? std::abs(r.tStatistic(r.beta.size() - 1)) : 0);
    }
    root.criteria = choice == LagChoice::TStatistic ? lastStatistics : criteria;
    if (choice == LagChoice::TStatistic) {
        constexpr double kFivePercent = 1.6448536269514722;
        size_t lag = most;
        while (lag > 0 && lastStatistics[lag] < kFivePercent) --lag;
        root.criterion = lastStatistics[lag];
        return lag;
    }
    const auto best = std::ranges::min_element(criteria);
    root.criterion = *best;
    return static_cast<size_t>(best - criteria.begin());
}

// Said, Dickey 1984.
UnitRoot testUnitRoot(const std::vector<double>& x, std::optional<int64_t> maxLag, size_t trend, LagChoice choice) {
    const auto n = static_cast<int64_t>(x.size());
    const int64_t room = n / 2 - static_cast<int64_t>(trend) - 1;
    if (room < 0) throw UserError(0, fmt::format("{} observations are too few.", n));
    const auto usual = static_cast<int64_t>(std::ceil(12 * std::pow(static_cast<double>(n) / 100, 0.25)));
    const int64_t most = maxLag.value_or(std::min(room, usual));
    if (most > room) throw UserError(1, fmt::format("maxLag must be at most {} for {} observations.", room, n));
    constexpr int64_t kMostCells = 500000000;
    if ((most + static_cast<int64_t>(trend) + 1) * n > kMostCells)
        throw UserError(1, fmt::format("{} lags of {} observations are more than {} numbers.", most, n, kMostCells),
                        "Give a smaller maxLag.");
    UnitRoot root;
    root.lag = static_cast<size_t>(most);
    if (choice != LagChoice::Max) root.lag = chosenLag(laggedBy(x, root.lag), trend, root.lag, choice, root);
    const Lagged used = laggedBy(x, root.lag);
    std::vector<std::vector<double>> columns = used.columns;
    for (auto& column : trendColumns(trend, used.difference.size())) columns.push_back(std::move(column));
    root.regression = regress(used.difference, columns);
    root.observations = used.difference.size();
    if (root.regression.isSingular) throw UserError(0, "The series does not vary enough for a test.");
    root.statistic = root.regression.tStatistic(0);
    return root;
}

Value resultStore(const UnitRoot& root, bool wantsCriteria) {
    auto store = orderedResult();
    const DenseRegression& r = root.regression;
    std::vector<double> statistics;
    for (size_t i = 0; i < r.beta.size(); ++i) statistics.push_back(r.tStatistic(i));
    addMember(*store, "params", realsOf(r.beta));
    addMember(*store, "stdError", realsOf(r.standardError));
    addMember(*store, "tStat", realsOf(statistics));
    addMember(*store, "residual", realsOf(r.residuals));
    addMember(*store, "aic", Value::ofDouble(r.aic()));
    addMember(*store, "bic", Value::ofDouble(r.bic()));
    if (wantsCriteria) addMember(*store, "autoLagResult", realsOf(root.criteria));
    return Value::of(std::move(store));
}

std::optional<int64_t> maxLagArgument(Arguments a, size_t i) {
    if (!isGiven(a, i)) return std::nullopt;
    const int64_t lag = integerArgument(a, i, "maxLag");
    if (lag < 0) refuseArgument(i, "maxLag", "0 or more", a[i]);
    return lag;
}

std::vector<double> seriesArgument(Arguments a, size_t i, std::string_view name) {
    constexpr size_t kMost = 10000000;
    std::vector<double> x = columnArgument(a, i, name, NullCells::Refused);
    if (x.size() > kMost) refuseArgument(i, name, "at most 10^7 numbers", a[i]);
    if (!std::ranges::all_of(x, [](double v) { return std::isfinite(v); })) refuseArgument(i, name, "finite", a[i]);
    return x;
}

// adfuller(X, [maxLag], [regression], [autoLag], [store], [regResults])
Value adfullerKernel(Context&, Arguments a) {
    const std::vector<double> x = seriesArgument(a, 0, "X");
    if (x.empty() || std::ranges::min(x) == std::ranges::max(x)) refuseArgument(0, "X", "numbers that differ", a[0]);
    const std::optional<int64_t> maxLag = maxLagArgument(a, 1);
    const size_t trend = trendArgument(a, 2, "regression");
    const LagChoice choice = lagArgument(a, 3);
    const UnitRoot root = testUnitRoot(x, maxLag, trend, choice);
    auto result = orderedResult();
    addMember(*result, "adfStat", Value::ofDouble(root.statistic));
    addMember(*result, "pValue", Value::ofDouble(probabilityOf(root.statistic, trend, 1)));
    addMember(*result, "usedLag", Value::ofInt(static_cast<int32_t>(root.lag)));
    addMember(*result, "nobs", Value::ofInt(static_cast<int32_t>(root.observations)));
    addMember(*result, "criticalValues", realsOf(criticalValues(trend, 1, static_cast<double>(root.observations))));
    if (choice != LagChoice::Max) addMember(*result, "icBest", Value::ofDouble(root.criterion));
    const bool wantsAll = flagArgument(a, 5, "regResults", false);
    if (wantsAll || flagArgument(a, 4, "store", false)) addMember(*result, "resultStore", resultStore(root, wantsAll));
    return Value::of(std::move(result));
}

// coint(Y0, Y1, [trend], [method], [maxLag], [autoLag]): Engle, Granger 1987.
Value cointKernel(Context&, Arguments a) {
    const std::vector<double> y = seriesArgument(a, 0, "Y0");
    NumberColumns others = factorsArgument(a, 1, "Y1", y.size(), NullCells::Refused);
    const size_t trend = trendArgument(a, 2, "trend"), variables = others.width() + 1;
    const std::string method = stringArgument(a, 3, "method", "aeg");
    if (method != "aeg") refuseArgument(3, "method", "aeg", a[3]);
    if (variables > mackinnon::kMaxVariables)
        throw UserError(1, fmt::format("There are {} series; tables know {}.", variables, mackinnon::kMaxVariables));
    std::vector<std::vector<double>> columns = others.columns;
    for (auto& column : trendColumns(trend, y.size())) columns.push_back(std::move(column));
    const DenseRegression r = regress(y, columns);
    if (r.isSingular) throw UserError(1, "The series follow from each other.");
    double mean = 0, squares = 0;
    for (const double v : y) mean += v / static_cast<double>(y.size());
    for (const double v : y) squares += (v - mean) * (v - mean);
    const bool isPerfect = r.squares <= 1.5e-6 * squares;
    const double statistic =
        isPerfect ? -HUGE_VAL : testUnitRoot(r.residuals, maxLagArgument(a, 4), 0, lagArgument(a, 5)).statistic;
    auto result = orderedResult();
    addMember(*result, "tValue", Value::ofDouble(statistic));
    addMember(*result, "pValue", Value::ofDouble(probabilityOf(statistic, trend, variables)));
    const std::vector<double> none(3, null<double>);
    addMember(*result, "criticalValues",
              realsOf(trend == 0 ? none : criticalValues(trend, variables, static_cast<double>(y.size() - 1))));
    return Value::of(std::move(result));
}

}  // namespace

void registerUnitRoots(FunctionRegistry& registry) {
    constexpr std::string_view kLags =
        "maxLag: the most lags, by default 12 (n / 100)^0.25, and fewer where rows are few\n"
        "autoLag: how the lags are chosen: aic, bic, tstat (from the most downwards, to the first that is significant "
        "at 5 "
        "%), or max\n";
    registry.add(
        "adfuller(X, [maxLag], [regression='c'], [autoLag='aic'], [store=false], [regResults=false])", adfullerKernel,
        {.summary = "The augmented Dickey-Fuller test for a unit root: a dictionary of adfStat, pValue, usedLag, nobs, "
                    "criticalValues (at 1, 5 and 10 %), and icBest unless autoLag is max.",
         .parameters = std::string("X: a vector of numbers that differ\n") + std::string(kLags) +
                       "regression: the trend: n none, c a constant, ct and a line, ctt and a parabola\n"
                       "store: adds resultStore, the regression\nregResults: adds the criteria of all lags to it",
         .nulls = "X must hold none.",
         .errors = "X is constant, or too short for maxLag; lags times rows exceed 5 · 10^8.",
         .complexity = "O(rows · lags³)",
         .source = "Said, Dickey 1984; MacKinnon 1994 and 2010",
         .example = "adfuller(1 2 1 3 2 1 3 2 1 2 3 1, 1)[`usedLag] -> 1"
                    "\nadfuller(1 2 1 3 2 1 3 2 1 2 3 1, 1)"});
    registry.add(
        "coint(Y0, Y1, [trend='c'], [method='aeg'], [maxLag], [autoLag='aic'])", cointKernel,
        {.summary =
             "The test of Engle and Granger for cointegration: a dictionary of tValue, pValue and criticalValues (at "
             "1, 5 and 10 %).",
         .parameters =
             std::string("Y0: a vector of numbers\nY1: a vector, or a matrix of up to five columns, with as many rows\n"
                         "trend: n none, c a constant, ct and a line, ctt and a parabola\nmethod: aeg\n") +
             std::string(kLags),
         .nulls = "There must be none.",
         .errors =
             "Lengths differ; the series follow from each other, or are too short; lags times rows exceed 5 · 10^8.",
         .complexity = "O(rows · lags³)",
         .source = "Engle, Granger 1987; MacKinnon 1994 and 2010",
         .example = "coint(1 3 2 5 4 6 8 7 9, 2 3 3 5 5 7 8 8 9, maxLag=0)[`pValue] < 0.05 -> true"});
}

}  // namespace pelorus
