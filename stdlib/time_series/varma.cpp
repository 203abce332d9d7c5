// varma.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/models/training.h"
#include "stdlib/optimisation/computed_objective.h"
#include "stdlib/optimisation/minimizers.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"
#include "stdlib/time_series/vector_arma.h"

namespace pelorus {

namespace {

// Series and regressors, each over its own size, and the form of the model. Free numbers stand, in the order of the
// members of params, for the coefficients of the model in these units.
struct VarmaModel {
    NumberColumns y, regressors;
    std::vector<double> sizes, regressorSizes;
    size_t trends = 0, p = 0, q = 0;
    bool isDiagonal = false, hasMeasurement = false, isStationary = true, isInvertible = true;

    size_t width() const { return y.width(); }
    size_t covariances() const { return isDiagonal ? width() : width() * (width() + 1) / 2; }
    size_t parameters() const {
        return width() * (regressors.width() + (p + q) * width() + hasMeasurement) + covariances();
    }
};

// Coefficients: of the regressors, for each series one after the other, and the process.
struct VarmaCoefficients {
    NumberMatrix weights;
    VectorArma process;
};

// Reads numbers one after the other.
class Taken {
public:
    explicit Taken(const Point& numbers) : numbers_(numbers) {}
    double next() { return numbers_[at_++]; }
    // Returns `count` square matrices, whose rows stand one below the other, each across all of them.
    std::vector<NumberMatrix> matrices(size_t count, size_t k) {
        std::vector<NumberMatrix> result(count,
                                         NumberMatrix{.cells = std::vector<double>(k * k), .rows = k, .columns = k});
        for (size_t r = 0; r < k; ++r) {
            for (NumberMatrix& matrix : result) {
                for (size_t c = 0; c < k; ++c) matrix.at(r, c) = next();
            }
        }
        return result;
    }

private:
    const Point& numbers_;
    size_t at_ = 0;
};

VarmaCoefficients coefficientsOf(const VarmaModel& m, const Point& free) {
    Taken taken(free);
    const size_t k = m.width(), w = m.regressors.width();
    VarmaCoefficients result{.weights = {.cells = std::vector<double>(w * k), .rows = w, .columns = k},
                             .process = {.root = {.cells = std::vector<double>(k * k, 0.0), .rows = k, .columns = k}}};
    const auto readWeights = [&](size_t first, size_t end) {
        for (size_t c = 0; c < k; ++c) {
            for (size_t r = first; r < end; ++r) result.weights.at(r, c) = taken.next();
        }
    };
    VectorArma& process = result.process;
    readWeights(0, m.trends);
    process.ar = taken.matrices(m.p, k);
    if (m.isStationary) process.ar = stationaryMatrices(process.ar);
    process.ma = taken.matrices(m.q, k);
    if (m.isInvertible) {
        process.ma = stationaryMatrices(process.ma);
        for (NumberMatrix& term : process.ma) {
            for (double& cell : term.cells) cell = -cell;
        }
    }
    readWeights(m.trends, w);
    for (size_t r = 0; r < k; ++r) {
        for (size_t c = m.isDiagonal ? r : 0; c <= r; ++c) process.root.at(r, c) = taken.next();
    }
    for (size_t r = 0; m.hasMeasurement && r < k; ++r) {
        const double deviation = taken.next();
        process.measurement.push_back(deviation * deviation);
    }
    return result;
}

double likelihoodOf(Context& context, const VarmaModel& m, const VarmaCoefficients& c) {
    NumberColumns intercepts{.rows = m.y.rows};
    for (size_t s = 0; s < m.width(); ++s) {
        std::vector<double>& column = intercepts.columns.emplace_back(m.y.rows, 0.0);
        for (size_t r = 0; r < m.regressors.width(); ++r) {
            for (size_t i = 0; i < m.y.rows; ++i) column[i] += c.weights.at(r, s) * m.regressors.columns[r][i];
        }
    }
    const double likelihood = logLikelihood(c.process, m.y, intercepts, [&] { context.checkCancelled(); });
    double sizes = 0;
    for (const double size : m.sizes) sizes += std::log(size);
    return likelihood - sizes * static_cast<double>(m.y.rows);
}

// Returns the free numbers to begin with: the means, no ar and ma terms, and half the variances as errors.
Point startOf(const VarmaModel& m) {
    Point start(m.parameters(), 0.0);
    const size_t k = m.width();
    for (size_t s = 0; s < k && m.trends > 0; ++s)
        start[s * m.trends] =
            std::accumulate(m.y.columns[s].begin(), m.y.columns[s].end(), 0.0) / static_cast<double>(m.y.rows);
    for (size_t i = k * m.trends; i < k * (m.trends + (m.p + m.q) * k); ++i) start[i] = 0.01;
    size_t at = k * (m.regressors.width() + (m.p + m.q) * k);
    for (size_t r = 0; r < k; ++r) {
        if (!m.isDiagonal) at += r;
        start[at++] = std::sqrt(0.5);
    }
    for (; at < start.size(); ++at) start[at] = 0.1;
    return start;
}

// Returns params: the coefficients in the units of the data.
std::vector<double> paramsOf(const VarmaModel& m, const VarmaCoefficients& c) {
    std::vector<double> params;
    const size_t k = m.width();
    const auto addWeights = [&](size_t first, size_t end) {
        for (size_t s = 0; s < k; ++s) {
            for (size_t r = first; r < end; ++r)
                params.push_back(c.weights.at(r, s) * m.sizes[s] / m.regressorSizes[r]);
        }
    };
    const auto addTerms = [&](const std::vector<NumberMatrix>& terms) {
        for (size_t r = 0; r < k; ++r) {
            for (const NumberMatrix& term : terms) {
                for (size_t column = 0; column < k; ++column)
                    params.push_back(term.at(r, column) * m.sizes[r] / m.sizes[column]);
            }
        }
    };
    addWeights(0, m.trends);
    addTerms(c.process.ar);
    addTerms(c.process.ma);
    addWeights(m.trends, m.regressors.width());
    for (size_t r = 0; r < k; ++r) {
        if (m.isDiagonal) params.push_back(std::pow(c.process.root.at(r, r) * m.sizes[r], 2));
        // The signs of the columns of a root are free: its diagonal is shown above 0.
        for (size_t column = 0; !m.isDiagonal && column <= r; ++column)
            params.push_back(std::copysign(1.0, c.process.root.at(column, column)) * c.process.root.at(r, column) *
                             m.sizes[r]);
    }
    for (size_t s = 0; s < c.process.measurement.size(); ++s)
        params.push_back(c.process.measurement[s] * m.sizes[s] * m.sizes[s]);
    return params;
}

double deviationOf(const std::vector<double>& column) {
    const auto n = static_cast<double>(column.size());
    const double mean = std::accumulate(column.begin(), column.end(), 0.0) / n;
    double squares = 0;
    for (const double v : column) squares += (v - mean) * (v - mean);
    return std::sqrt(squares / n);
}

std::vector<double> sized(std::vector<double> column, double size) {
    for (double& v : column) v /= size;
    return column;
}

void readSeries(Context& context, Arguments a, VarmaModel& m) {
    const std::vector<std::string> names = namesArgument(a, 1, "endogColNames");
    if (names.size() < 2) refuseArgument(1, "endogColNames", "two names or more", a[1]);
    const NumberColumns series = namedColumns(gatheredTable(context, a, 0), 0, names, NullCells::Refused);
    m.y.rows = series.rows;
    for (const auto& column : series.columns) {
        const double size = deviationOf(column);
        if (!std::isfinite(size) || !(size > 0))
            throw UserError(0, "A series does not vary, or its squares are too large for DOUBLE.");
        m.sizes.push_back(size);
        m.y.columns.push_back(sized(column, size));
    }
}

void readRegressors(Arguments a, VarmaModel& m) {
    const auto add = [&](const std::vector<double>& column) {
        double size = 0;
        for (const double v : column) size = std::max(size, std::abs(v));
        if (!std::isfinite(size)) throw UserError(3, "exog must be finite.");
        m.regressorSizes.push_back(size > 0 ? size : 1);
        m.regressors.columns.push_back(sized(column, m.regressorSizes.back()));
    };
    const std::string trend = stringArgument(a, 4, "trend", "c");
    if (trend != "n" && trend != "c" && trend != "ct" && trend != "ctt")
        refuseArgument(4, "trend", "n, c, ct or ctt", a[4]);
    const int64_t offset = integerArgument(a, 9, "trendOffset", 1);
    if (offset < 1) refuseArgument(9, "trendOffset", "1 or more", a[9]);
    m.trends = trend == "n" ? 0 : trend.size();
    for (size_t power = 0; power < m.trends; ++power) {
        std::vector<double> column;
        for (size_t i = 0; i < m.y.rows; ++i)
            column.push_back(
                std::pow(static_cast<double>(offset) + static_cast<double>(i), static_cast<double>(power)));
        add(column);
    }
    if (!isGiven(a, 3)) return;
    const NumberColumns exog = columnsArgument(a, 3, "exog", NullCells::Refused);
    if (exog.rows != m.y.rows) throw UserError(3, fmt::format("exog has {} rows for {}.", exog.rows, m.y.rows));
    for (const auto& column : exog.columns) add(column);
}

// varma(ds, endogColNames, order, [exog], [trend], [errorCovType], [measurementError], [enforceStationarity],
// [enforceInvertibility], [trendOffset], [maxIter])
Value varmaKernel(Context& context, Arguments a) {
    constexpr size_t kMostStates = 60;
    VarmaModel m;
    readSeries(context, a, m);
    readRegressors(a, m);
    const std::vector<double> order = columnArgument(a, 2, "order", NullCells::Refused);
    const auto isOrder = [&](double terms) { return terms >= 0 && terms == std::floor(terms) && terms <= kMostStates; };
    if (order.size() != 2 || !std::ranges::all_of(order, isOrder) || order[0] + order[1] == 0)
        refuseArgument(2, "order", "two whole numbers from 0, not both 0", a[2]);
    m.p = static_cast<size_t>(order[0]);
    m.q = static_cast<size_t>(order[1]);
    if (m.width() * (std::max<size_t>(m.p, 1) + m.q) > kMostStates)
        throw UserError(2, fmt::format("The terms of {} series are more than {} numbers.", m.width(), kMostStates),
                        "Take lower orders or fewer series.");
    const std::string covariance = stringArgument(a, 5, "errorCovType", "unstructured");
    if (covariance != "unstructured" && covariance != "diagonal")
        refuseArgument(5, "errorCovType", "unstructured or diagonal", a[5]);
    m.isDiagonal = covariance == "diagonal";
    m.hasMeasurement = flagArgument(a, 6, "measurementError", false);
    m.isStationary = flagArgument(a, 7, "enforceStationarity", true);
    m.isInvertible = flagArgument(a, 8, "enforceInvertibility", true);
    const int64_t maxIterations = integerArgument(a, 10, "maxIter", 50);
    if (maxIterations < 1) refuseArgument(10, "maxIter", "1 or more", a[10]);
    if (m.y.rows * m.width() <= m.parameters() || m.y.rows < 3)
        throw UserError(0, fmt::format("{} rows are too few for {} parameters.", m.y.rows, m.parameters()));
    const auto n = static_cast<double>(m.y.rows);
    const Ref<Function> function = makeRef<ComputedObjective>("varma", [&](Context& at, const Point& x) {
        const double likelihood = likelihoodOf(at, m, coefficientsOf(m, x));
        constexpr double kFar = 1e10;
        return std::isnan(likelihood) ? kFar : -likelihood / n;
    });
    Objective objective(context, *function, false);
    const Minimum found =
        minimizeBfgs(objective, startOf(m), {.gradientTolerance = 1e-7, .maxIterations = maxIterations});
    const VarmaCoefficients c = coefficientsOf(m, found.x);
    const double likelihood = likelihoodOf(context, m, c);
    if (std::isnan(likelihood))
        throw UserError(0, "No coefficients fit the series.", "Take lower orders, or difference the series.");
    const auto k = static_cast<double>(m.parameters());
    auto result = orderedResult();
    addMember(*result, "params", realsOf(paramsOf(m, c)));
    addMember(*result, "llf", Value::ofDouble(likelihood));
    addMember(*result, "kAr", Value::ofInt(static_cast<int32_t>(m.p)));
    addMember(*result, "kMa", Value::ofInt(static_cast<int32_t>(m.q)));
    addMember(*result, "kTrend", Value::ofInt(static_cast<int32_t>(m.trends)));
    addMember(*result, "nobs", Value::ofInt(static_cast<int32_t>(m.y.rows)));
    addMember(*result, "aic", Value::ofDouble(2 * k - 2 * likelihood));
    addMember(*result, "bic", Value::ofDouble(k * std::log(n) - 2 * likelihood));
    addMember(*result, "hqic", Value::ofDouble(2 * k * std::log(std::log(n)) - 2 * likelihood));
    return Value::of(std::move(result));
}

}  // namespace

void registerVarma(FunctionRegistry& registry) {
    registry.add(
        "varma(ds, endogColNames, order, [exog], [trend='c'], [errorCovType='unstructured'], "
        "[measurementError=false], [enforceStationarity=true], [enforceInvertibility=true], [trendOffset=1], "
        "[maxIter=50])",
        varmaKernel,
        {.summary =
             "A vector autoregressive moving average, by exact maximum likelihood: a dictionary of params (for each "
             "series: trend; ar terms; ma terms; exog; then the covariance of the errors, as the rows of its lower "
             "root or as variances; variances of measurement), llf (log likelihood), kAr, kMa, kTrend, nobs, aic, bic "
             "and hqic.",
         .parameters =
             "ds: a table, or data sources as sqlDS gives them\nendogColNames: the names of two series or more\n"
             "order: (p, q), the ar terms and the ma terms, from 0\n"
             "exog: a matrix of further factors, with as many rows\n"
             "trend: n none, c a constant, ct and a line, ctt and a parabola\n"
             "errorCovType: unstructured, or diagonal where the errors of the series are independent\n"
             "measurementError: whether the series are observed with errors of their own\n"
             "enforceStationarity, enforceInvertibility: ar and ma terms are searched for among those of stationary "
             "and invertible processes\ntrendOffset: the first value of the line\n"
             "maxIter: the most iterations, from 1",
         .nulls = "There must be none.",
         .errors = "There is no such column; a series does not vary; rows are too few; series times terms exceed 60.",
         .complexity = "O(rows · (series · terms)³) for each call of the likelihood",
         .source = "Harvey 1989, section 3.1; Ansley, Kohn 1986; BFGS as of fminBFGS",
         .example =
             "varma(table(1.0 2 4 3 5 7 6 9 8 9 as a, 2.0 1 3 5 4 6 8 7 9 7 as b), `a`b, 1 0, maxIter=5)[`nobs] -> 10"
             "\nvarma(table(1.0 2 4 3 5 7 6 9 8 9 as a, 2.0 1 3 5 4 6 8 7 9 7 as b), `a`b, 1 0, maxIter=5)"});
}

}  // namespace pelorus
