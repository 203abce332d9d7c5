// vectorAR: series that follow from their own past and that of others.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "common/error.h"
#include "runtime/table/table.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/matrix/dense_solve.h"
#include "stdlib/models/training.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"
#include "stdlib/time_series/arima.h"
#include "stdlib/time_series/dense_regression.h"

namespace pelorus {

namespace {

struct Autoregression {
    size_t lags = 0, trend = 0, rows = 0, width = 0;
    std::vector<std::vector<double>> coefficients;  // of each series
    std::vector<double> covariance;                 // of the residuals, sums of products over rows
    double logDeterminant = 0;

    // Criteria of Lütkepohl, section 4.3, of the covariance by maximum likelihood.
    double criterion(std::string_view name) const {
        const auto n = static_cast<double>(rows), k = static_cast<double>(width);
        const double free = static_cast<double>(lags) * k * k + k * static_cast<double>(trend);
        const double mean = static_cast<double>(lags) * k + static_cast<double>(trend);
        if (name == "aic") return logDeterminant + 2 / n * free;
        if (name == "bic") return logDeterminant + std::log(n) / n * free;
        if (name == "hqic") return logDeterminant + 2 * std::log(std::log(n)) / n * free;
        return std::pow((n + mean) / (n - mean), k) * std::exp(logDeterminant);
    }
};

// Fits series from row `skipped` on.
Autoregression fitLags(const NumberColumns& series, const NumberColumns* others, size_t trend, size_t lags,
                       size_t skipped) {
    Autoregression r{.lags = lags, .trend = trend, .rows = series.rows - skipped, .width = series.width()};
    const size_t width = trend + (others == nullptr ? 0 : others->width()) + lags * series.width();
    if (r.rows <= width)
        throw UserError(0, fmt::format("{} rows are too few for {} coefficients of each series.", r.rows, width));
    std::vector<std::vector<double>> columns;
    for (size_t power = 0; power < trend; ++power) {
        std::vector<double>& column = columns.emplace_back();
        for (size_t t = skipped; t < series.rows; ++t)
            column.push_back(std::pow(static_cast<double>(t - skipped + 1), static_cast<double>(power)));
    }
    const auto add = [&](const std::vector<double>& from, size_t lag) {
        columns.emplace_back(from.begin() + static_cast<ptrdiff_t>(skipped - lag),
                             from.begin() + static_cast<ptrdiff_t>(series.rows - lag));
    };
    if (others != nullptr) {
        for (const auto& column : others->columns) add(column, 0);
        r.trend += others->width();
    }
    for (size_t lag = 1; lag <= lags; ++lag) {
        for (const auto& column : series.columns) add(column, lag);
    }
    std::vector<std::vector<double>> residuals;
    for (const auto& column : series.columns) {
        const std::vector<double> y(column.begin() + static_cast<ptrdiff_t>(skipped), column.end());
        DenseRegression fit = regress(y, columns);
        if (fit.isSingular) throw UserError(1, "The series follow from each other.", "Take fewer series or lags.");
        r.coefficients.push_back(fit.beta);
        residuals.push_back(std::move(fit.residuals));
    }
    for (const auto& a : residuals) {
        for (const auto& b : residuals) {
            double sum = 0;
            for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
            r.covariance.push_back(sum);
        }
    }
    const std::vector<double> triangle = choleskyFactor(r.covariance, r.width);
    if (triangle.empty()) throw UserError(1, "The residuals of the series follow from each other.");
    for (size_t i = 0; i < r.width; ++i)
        r.logDeterminant += 2 * std::log(triangle[i * r.width + i]) - std::log(static_cast<double>(r.rows));
    return r;
}

size_t chosenLags(Context& context, const NumberColumns& series, const NumberColumns* others, size_t trend, size_t most,
                  const std::string& criterion) {
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t lags = trend == 0 && others == nullptr ? 1 : 0; lags <= most; ++lags) {
        context.checkCancelled();
        const double value = fitLags(series, others, trend, lags, most).criterion(criterion);
        if (!(value < least)) continue;
        least = value;
        best = lags;
    }
    return best;
}

Value scaled(std::vector<double> cells, double by, size_t width) {
    for (double& cell : cells) cell *= by;
    return matrixOf(cells, width, width);
}

// vectorAR(ds, endogColNames, [exog], [trend], [maxLag], [ic])
Value vectorArKernel(Context& context, Arguments a) {
    const std::vector<std::string> names = namesArgument(a, 1, "endogColNames");
    if (names.size() < 2) refuseArgument(1, "endogColNames", "two names or more", a[1]);
    const NumberColumns series = namedColumns(gatheredTable(context, a, 0), 0, names, NullCells::Refused);
    NumberColumns exog;
    if (isGiven(a, 2)) {
        exog = columnsArgument(a, 2, "exog", NullCells::Refused);
        if (exog.rows != series.rows)
            throw UserError(2, fmt::format("exog has {} rows for {}.", exog.rows, series.rows));
    }
    const NumberColumns* others = isGiven(a, 2) ? &exog : nullptr;
    const std::string trend = stringArgument(a, 3, "trend", "c");
    if (trend != "n" && trend != "c" && trend != "ct" && trend != "ctt")
        refuseArgument(3, "trend", "n, c, ct or ctt", a[3]);
    const size_t powers = trend == "n" ? 0 : trend.size();
    const std::string criterion = stringArgument(a, 5, "ic", "");
    if (!criterion.empty() && criterion != "aic" && criterion != "bic" && criterion != "fpe" && criterion != "hqic")
        refuseArgument(5, "ic", "aic, bic, fpe or hqic", a[5]);
    const auto usual = static_cast<int64_t>(std::round(12 * std::pow(static_cast<double>(series.rows) / 100, 0.25)));
    const int64_t most = integerArgument(a, 4, "maxLag", criterion.empty() ? 1 : usual);
    if (most < 0 || most >= static_cast<int64_t>(series.rows))
        refuseArgument(4, "maxLag", "from 0 to below the rows", a[4]);
    auto lags = static_cast<size_t>(most);
    if (!criterion.empty()) lags = chosenLags(context, series, others, powers, lags, criterion);
    const Autoregression r = fitLags(series, others, powers, lags, lags);
    const size_t p = r.coefficients[0].size();
    std::vector<double> cells;
    for (const auto& column : r.coefficients) cells.insert(cells.end(), column.begin(), column.end());
    const auto n = static_cast<double>(r.rows), k = static_cast<double>(r.width);
    auto result = makeRef<Dictionary>(Type::String, Type::Any, true);
    addMember(*result, "params", matrixOf(cells, p, r.width));
    addMember(*result, "kAr", Value::ofInt(static_cast<int32_t>(lags)));
    addMember(*result, "kTrend", Value::ofInt(static_cast<int32_t>(powers)));
    addMember(*result, "nobs", Value::ofInt(static_cast<int32_t>(r.rows)));
    addMember(*result, "sigmaU", scaled(r.covariance, 1 / (n - static_cast<double>(p)), r.width));
    addMember(*result, "sigmaUMle", scaled(r.covariance, 1 / n, r.width));
    for (const std::string_view name : {"aic", "bic", "hqic", "fpe"})
        addMember(*result, name, Value::ofDouble(r.criterion(name)));
    addMember(*result, "llf",
              Value::ofDouble(-n * k / 2 * std::log(2 * std::numbers::pi) - n / 2 * (r.logDeterminant + k)));
    return Value::of(std::move(result));
}

}  // namespace

void registerTimeSeriesModels(FunctionRegistry& registry) {
    registerArima(registry);
    registry.add(
        "vectorAR(ds, endogColNames, [exog], [trend='c'], [maxLag], [ic])", vectorArKernel,
        {.summary =
             "A vector autoregression: a dictionary of params (a matrix with a column for each series: trend, exog, "
             "then the series of each lag), kAr (lags), kTrend, nobs, sigmaU and sigmaUMle (covariances of the "
             "residuals), aic, bic, hqic, fpe and llf (log likelihood).",
         .parameters =
             "ds: a table, or data sources as sqlDS gives them\nendogColNames: the names of two series or more\n"
             "exog: a matrix of further factors, with as many rows\n"
             "trend: n none, c a constant, ct and a line, ctt and a parabola\n"
             "maxLag: the lags; with ic the most, by default 12 (rows / 100)^0.25, else 1\n"
             "ic: the criterion by which lags are chosen: aic, bic, fpe or hqic",
         .nulls = "There must be none.",
         .errors = "There is no such column; the series follow from each other; rows are too few.",
         .complexity = "O(rows · (series · lags)²) for each number of lags that is tried",
         .source = "Lütkepohl, New Introduction to Multiple Time Series Analysis, chapters 3 and 4",
         .example = "vectorAR(table(1.0 2 4 3 5 7 6 9 8 9 as a, 2.0 1 3 5 4 6 8 7 9 7 as b), `a`b, , , 1)[`nobs] -> 9"
                    "\nvectorAR(table(1.0 2 4 3 5 7 6 9 8 9 as a, 2.0 1 3 5 4 6 8 7 9 7 as b), `a`b, , , 1)"});
}

}  // namespace pelorus
