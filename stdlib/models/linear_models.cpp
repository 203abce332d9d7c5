// ridge, lasso and elasticNet over tables and data sources, their CV and their Basic forms.
#include <fmt/format.h>

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/models/penalized_regression.h"
#include "stdlib/models/training.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// One of the three families of penalties, with the positions of its arguments behind ds, yColName, xColNames (or Y, X,
// mode).
enum class Penalty : uint8_t { Ridge, Lasso, ElasticNet };

struct PenaltyArguments {
    std::vector<double> alphas;
    PenaltyOptions options;
    int weights;
    bool checksInput = true;
};

PenaltyArguments penaltyArguments(Arguments a, Penalty penalty, bool isCrossValidated) {
    PenaltyArguments p;
    size_t at = 3;
    p.alphas = isCrossValidated ? std::vector{0.01, 0.1, 1.0} : std::vector{1.0};
    if (isGiven(a, at))
        p.alphas = a[at].isScalar() || !isCrossValidated ? std::vector{realArgument(a, at, "alpha")}
                                                         : columnArgument(a, at, "alphas", NullCells::Refused);
    if (p.alphas.empty()) refuseArgument(at, "alphas", "one number or more", a[at]);
    for (const double alpha : p.alphas) {
        if (!(alpha >= 0)) refuseArgument(at, "alpha", "0 or more", a[at]);
    }
    ++at;
    p.options.l1Ratio = penalty == Penalty::Lasso ? 1 : 0.5;
    if (penalty == Penalty::ElasticNet) {
        p.options.l1Ratio = realArgument(a, at, "l1Ratio", 0.5);
        if (!(p.options.l1Ratio >= 0 && p.options.l1Ratio <= 1)) refuseArgument(at, "l1Ratio", "from 0 to 1", a[at]);
        ++at;
    }
    p.options.intercept = flagArgument(a, at, "intercept", true);
    p.options.normalize = flagArgument(a, at + 1, "normalize", false);
    p.options.maxIterations = integerArgument(a, at + 2, "maxIter", 1000);
    if (p.options.maxIterations < 1) refuseArgument(at + 2, "maxIter", "1 or more", a[at + 2]);
    p.options.tolerance = realArgument(a, at + 3, "tolerance", 1e-4);
    if (!(p.options.tolerance >= 0)) refuseArgument(at + 3, "tolerance", "0 or more", a[at + 3]);
    if (penalty == Penalty::Ridge) {
        const std::string solver = stringArgument(a, at + 4, "solver", "svd");
        if (solver != "svd" && solver != "cholesky") refuseArgument(at + 4, "solver", "svd or cholesky", a[at + 4]);
    } else {
        p.options.positive = flagArgument(a, at + 4, "positive", false);
        p.checksInput = flagArgument(a, at + 6, "checkInput", true);
    }
    p.weights = static_cast<int>(at) + 5;
    if (static_cast<size_t>(p.weights) >= a.size()) p.weights = -1;
    return p;
}

void addRows(LeastSquares& moments, const TrainingRows& rows, size_t begin, size_t end) {
    const auto slice = [&](const std::vector<double>& column) {
        return Vector::of(Type::Double, std::vector<double>(column.begin() + static_cast<ptrdiff_t>(begin),
                                                            column.begin() + static_cast<ptrdiff_t>(end)));
    };
    std::vector<Ref<Vector>> columns;
    for (const auto& column : rows.x.columns) columns.push_back(slice(column));
    moments.add(*slice(rows.y), columns, rows.weights.empty() ? nullptr : rows.weights.data() + begin);
}

PenalizedFit fitOf(Context& context, Penalty penalty, const LeastSquares& moments, PenaltyOptions options,
                   double alpha) {
    options.alpha = alpha;
    if (penalty == Penalty::Ridge) return fitRidge(moments, options);
    return fitElasticNet(moments, options, [&] { context.checkCancelled(); });
}

constexpr std::string_view kNames[] = {"ridge", "lasso", "elasticNet"};

Ref<Dictionary> modelOf(Penalty penalty, std::string_view suffix, const PenalizedFit& fit, const PenaltyOptions& o,
                        const std::vector<std::string>& names) {
    const Ref<Dictionary> model =
        makeModel(fmt::format("{}{}", kNames[static_cast<size_t>(penalty)], suffix), "coordinateDescentPredict");
    addMember(*model, "coefficients", realsOf(fit.coefficients));
    addMember(*model, "intercept", Value::ofDouble(fit.intercept));
    if (penalty != Penalty::Ridge) {
        addMember(*model, "dual_gap", Value::ofDouble(fit.dualGap));
        addMember(*model, "tolerance", Value::ofDouble(o.tolerance));
        addMember(*model, "iterations", Value::ofInt(static_cast<int32_t>(fit.iterations)));
    }
    addMember(*model, "xColNames", namesValue(names));
    return model;
}

// ridge, lasso, elasticNet (ds, yColName, xColNames, alpha …)
template <Penalty kPenalty>
Value penalizedKernel(Context& context, Arguments a) {
    const PenaltyArguments p = penaltyArguments(a, kPenalty, false);
    const TrainingNames names = namesOfTraining(a, p.weights);
    LeastSquares moments(static_cast<int>(names.x.size()));
    forEachPart(context, a, names, p.checksInput ? NullCells::Refused : NullCells::Zero,
                [&](const TrainingRows& rows) { addRows(moments, rows, 0, rows.rows()); });
    if (moments.count() == 0 || !(moments.weight() > 0)) throw UserError(0, "There are no rows to fit a model to.");
    const PenalizedFit fit = fitOf(context, kPenalty, moments, p.options, p.alphas[0]);
    return Value::of(modelOf(kPenalty, "", fit, p.options, names.x));
}

// ridgeCV, lassoCV, elasticNetCV (ds, yColName, xColNames, alphas …): five folds of adjacent rows.
template <Penalty kPenalty>
Value crossValidatedKernel(Context& context, Arguments a) {
    constexpr size_t kFolds = 5;
    const PenaltyArguments p = penaltyArguments(a, kPenalty, true);
    const TrainingNames names = namesOfTraining(a, p.weights);
    const TrainingRows rows = trainingRows(context, a, names, p.checksInput ? NullCells::Refused : NullCells::Zero);
    if (rows.rows() < kFolds) throw UserError(0, fmt::format("Five folds need 5 rows, but there are {}.", rows.rows()));
    const auto factors = static_cast<int>(names.x.size());
    std::vector<LeastSquares> folds;
    LeastSquares all(factors);
    for (size_t k = 0, begin = 0; k < kFolds; ++k) {
        const size_t end = begin + rows.rows() / kFolds + (k < rows.rows() % kFolds);
        addRows(folds.emplace_back(factors), rows, begin, end);
        all.merge(folds.back());
        begin = end;
    }
    double bestAlpha = p.alphas[0], least = std::numeric_limits<double>::infinity();
    for (const double alpha : p.alphas) {
        double error = 0;
        for (size_t k = 0; k < kFolds; ++k) {
            LeastSquares others(factors);
            for (size_t i = 0; i < kFolds; ++i) {
                if (i != k) others.merge(folds[i]);
            }
            const PenalizedFit fit = fitOf(context, kPenalty, others, p.options, alpha);
            error += squaresLeft(folds[k], fit) / static_cast<double>(folds[k].count());
        }
        if (!(error < least)) continue;
        least = error;
        bestAlpha = alpha;
    }
    const PenalizedFit fit = fitOf(context, kPenalty, all, p.options, bestAlpha);
    const Ref<Dictionary> model = modelOf(kPenalty, "CV", fit, p.options, names.x);
    addMember(*model, "alpha", Value::ofDouble(bestAlpha));
    return Value::of(model);
}

// Returns the statistics that ols gives, for coefficients that were found otherwise.
LeastSquares::Fit statisticsOf(const LeastSquares& moments, const TrainingRows& rows, const PenalizedFit& found,
                               bool intercept) {
    LeastSquares::Fit fit = moments.fit(intercept);
    const double usual = fit.residualError;
    fit.beta = found.coefficients;
    if (intercept) fit.beta.insert(fit.beta.begin(), found.intercept);
    const double mean = moments.mean(moments.factors());
    fit.regressionSquares = fit.residualSquares = 0;
    for (size_t i = 0; i < rows.rows(); ++i) {
        double predicted = found.intercept;
        for (size_t c = 0; c < rows.x.width(); ++c) predicted += found.coefficients[c] * rows.x.columns[c][i];
        const double rise = predicted - (intercept ? mean : 0), rest = rows.y[i] - predicted;
        fit.regressionSquares += rise * rise;
        fit.residualSquares += rest * rest;
    }
    const auto freedom = static_cast<double>(fit.residualDegrees), parts = static_cast<double>(fit.regressionDegrees);
    const auto n = static_cast<double>(fit.count);
    const bool hasFreedom = freedom > 0;
    const double meanSquare = hasFreedom ? fit.residualSquares / freedom : null<double>;
    fit.residualError = hasFreedom ? std::sqrt(meanSquare) : null<double>;
    fit.r2 = fit.totalSquares > 0 ? fit.regressionSquares / fit.totalSquares : null<double>;
    fit.adjustedR2 = hasFreedom && !isNull(fit.r2) ? 1 - (1 - fit.r2) * (n - intercept) / freedom : null<double>;
    const bool hasTest = hasFreedom && meanSquare > 0 && parts > 0;
    fit.f = hasTest ? fit.regressionSquares / parts / meanSquare : null<double>;
    fit.significance = hasTest && std::isfinite(fit.f)
                           ? boost::math::cdf(boost::math::complement(boost::math::fisher_f(parts, freedom), fit.f))
                           : null<double>;
    for (size_t i = 0; i < fit.beta.size(); ++i) {
        const bool isKnown = hasTest && i < fit.standardError.size() && !isNull(fit.standardError[i]) && usual > 0;
        double &error = fit.standardError[i], &t = fit.tStatistic[i], &probability = fit.pValue[i];
        error = isKnown ? error / usual * fit.residualError : null<double>;
        t = isKnown && error > 0 ? fit.beta[i] / error : null<double>;
        probability =
            isNull(t) ? null<double>
                      : 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), std::abs(t)));
    }
    return fit;
}

// ridgeBasic, lassoBasic, elasticNetBasic (Y, X, mode, alpha …)
template <Penalty kPenalty>
Value basicKernel(Context& context, Arguments a) {
    const PenaltyArguments p = penaltyArguments(a, kPenalty, false);
    const int64_t mode = integerArgument(a, 2, "mode", 0);
    if (mode < 0 || mode > 2) refuseArgument(2, "mode", "0, 1 or 2", a[2]);
    TrainingRows rows = trainingRows(a, p.checksInput ? NullCells::Refused : NullCells::Zero);
    const std::string weights = p.weights < 0 ? "" : stringArgument(a, static_cast<size_t>(p.weights), "swColName", "");
    if (!weights.empty()) {
        const auto at = std::ranges::find(rows.x.names, weights) - rows.x.names.begin();
        if (at == static_cast<ptrdiff_t>(rows.x.width()))
            throw UserError(p.weights, fmt::format("X has no column {}.", weights));
        rows.weights = rows.x.columns[static_cast<size_t>(at)];
        for (const double w : rows.weights) {
            if (!(w >= 0)) throw UserError(p.weights, "A weight must not be below 0.");
        }
        rows.x.columns.erase(rows.x.columns.begin() + at);
        rows.x.names.erase(rows.x.names.begin() + at);
        if (rows.x.columns.empty()) throw UserError(1, "X has no factors beside the weights.");
    }
    LeastSquares moments(static_cast<int>(rows.x.width()));
    addRows(moments, rows, 0, rows.rows());
    if (!(moments.weight() > 0)) throw UserError(0, "The weights are all 0.");
    const PenalizedFit found = fitOf(context, kPenalty, moments, p.options, p.alphas[0]);
    const LeastSquares::Fit fit = statisticsOf(moments, rows, found, p.options.intercept);
    std::vector<std::string> names = rows.x.names;
    if (!a[1].isTable()) {
        for (size_t i = 0; i < names.size(); ++i) names[i] = fmt::format("x{}", i);
    }
    Value result = fitResult(fit, names, p.options.intercept, mode);
    if (mode == 2) {
        std::vector<double> rest;
        for (size_t i = 0; i < rows.rows(); ++i) {
            double predicted = found.intercept;
            for (size_t c = 0; c < rows.x.width(); ++c) predicted += found.coefficients[c] * rows.x.columns[c][i];
            rest.push_back(rows.y[i] - predicted);
        }
        result.dictionary().set(Value::ofString("Residual"), realsOf(rest));
    }
    return result;
}

// coordinateDescentPredict(model, X)
Value predictLinearKernel(Context&, Arguments a) {
    const std::vector<double> coefficients = modelNumbers(a, "coefficients");
    const double intercept = modelNumber(a, "intercept");
    const std::vector<Ref<Vector>> x = factorVectorsToPredict(a);
    if (x.size() != coefficients.size()) throw UserError(0, "The members of the model do not fit together.");
    return Value::of(linearPredictor(x, coefficients, intercept));
}

constexpr std::string_view kSourceOfNet = "Friedman, Hastie, Tibshirani 2010; the dual gap of Kim et al. 2007";
constexpr std::string_view kSourceOfRidge = "Hoerl, Kennard 1970";
constexpr std::string_view kData =
    "ds: a table, or data sources as sqlDS gives them\nyColName: the name of the dependent variable\n"
    "xColNames: the names of the factors\n";
constexpr std::string_view kVectors =
    "Y: a vector of numbers\nX: the factors: a vector, tuple of vectors, matrix or table\n"
    "mode: 0 the coefficients, 1 a table with standard errors, t and p, 2 a dictionary that adds ANOVA and residuals\n";
constexpr std::string_view kCommon =
    "intercept: whether there is one\nnormalize: with an intercept, factors are centred and get the length 1 first\n"
    "maxIter: the most iterations, from 1\ntolerance: the dual gap, as a share of the squares of Y, that ends them\n";
constexpr std::string_view kErrors =
    "There is no such column; columns are not numeric or differ in length; there are no rows; an option is out of its "
    "range.";

struct Documented {
    Penalty penalty;
    std::string_view objective, alpha, further;
};

// Registers the three forms of one penalty.
template <Penalty kPenalty>
void registerPenalty(FunctionRegistry& registry, const Documented& d) {
    const std::string name(kNames[static_cast<size_t>(kPenalty)]);
    const bool isNet = kPenalty == Penalty::ElasticNet, isRidge = kPenalty == Penalty::Ridge;
    const std::string ratio = isNet ? ", [l1Ratio=0.5]" : "";
    const std::string rest =
        std::string(", [intercept=true], [normalize=false], [maxIter=1000], [tolerance=0.0001]") +
        (isRidge ? ", [solver='svd'], [swColName]" : ", [positive=false], [swColName], [checkInput=true]");
    const std::string plural = isNet ? "alpha" : "alphas";
    const std::string nulls =
        isRidge ? "There must be none." : "There must be none; with checkInput=false NULL counts as 0.";
    const std::string own = std::string(isNet ? "l1Ratio: the share of the absolute values, 0 to 1\n" : "") +
                            std::string(kCommon) + std::string(d.further);
    const DocString source = isRidge ? kSourceOfRidge : kSourceOfNet;
    const std::string rounded = isRidge ? "[2.5]" : isNet ? "[1.9091]" : "[2.25]";
    registry.add(name + "(ds, yColName, xColNames, [alpha=1.0]" + ratio + rest + ")", penalizedKernel<kPenalty>,
                 {.summary = fmt::format("The linear regression with the least {}, as a model.", d.objective),
                  .parameters = std::string(kData) + std::string(d.alpha) + own,
                  .nulls = nulls,
                  .errors = kErrors,
                  .complexity = "O(rows · factors²); one data source is in memory at a time",
                  .source = source,
                  .example = fmt::format(
                      "round({0}(table(0 1 2 3 4 as x, 1 4 7 10 13 as y), `y, `x{1})[`coefficients], 4) -> {2}\n"
                      "{0}(table(0 1 2 3 4 as x, 1 4 7 10 13 as y), `y, `x{1})",
                      name, isRidge ? ", 2.0" : ", 1.5", rounded)});
    registry.add(name + "CV(ds, yColName, xColNames, [" + plural + "=[0.01,0.1,1.0]]" + ratio + rest + ")",
                 crossValidatedKernel<kPenalty>,
                 {.summary = fmt::format("As {}, with the alpha whose mean squared error over five folds is least; the "
                                         "model has it as alpha.",
                                         name),
                  .parameters = std::string(kData) + plural + ": a number or a vector of them\n" + own,
                  .nulls = nulls,
                  .errors = std::string(kErrors) + " There are fewer than five rows.",
                  .complexity = "O(rows · factors² + alphas · iterations · factors²); all rows are in memory",
                  .source = source,
                  .example = fmt::format("{0}CV(table(0..9 as x, 1 + 3 * 0..9 as y), `y, `x)[`alpha] -> 0.01\n"
                                         "{0}CV(table(0..9 as x, 1 + 3 * 0..9 as y), `y, `x)",
                                         name)});
    registry.add(name + "Basic(Y, X, [mode=0], [alpha=1.0]" + ratio + rest + ")", basicKernel<kPenalty>,
                 {.summary = fmt::format("The coefficients of the linear regression with the least {}, the intercept "
                                         "first.",
                                         d.objective),
                  .parameters = std::string(kVectors) + std::string(d.alpha) + own,
                  .nulls = nulls,
                  .errors = kErrors,
                  .complexity = "O(rows · factors²)",
                  .source = source,
                  .example = fmt::format("round({}Basic(1 4 7 10 13, 0 1 2 3 4, 0, {})[1], 4) -> {}", name,
                                         isRidge ? "2.0" : "1.5", rounded.substr(1, rounded.size() - 2))});
}

}  // namespace

void registerLinearModels(FunctionRegistry& registry) {
    registry.add(
        "coordinateDescentPredict(model, X)", predictLinearKernel,
        {.summary = "What a model of ridge, lasso or elasticNet predicts, as DOUBLE.",
         .parameters = "model: the dictionary\nX: a table with the columns that the model names, or as many "
                       "columns in a matrix, tuple or vector",
         .nulls = "NULL for a row with NULL.",
         .errors = "X lacks a column; the model lacks a member.",
         .complexity = "O(rows · factors)",
         .example = "ridge(table(0 1 2 as x, 1 3 5 as y), `y, `x, 0.0).coordinateDescentPredict(table(3 4 as "
                    "x)).round(6) -> [7,9]"
                    "\ncoordinateDescentPredict(ridge(table(0 1 2 as x, 1 3 5 as y), `y, `x, 0.0), table(3 4 as x))"});
    const std::string_view positive =
        "positive: whether coefficients must be at least 0\nswColName: the column of the weights, at least 0\n"
        "checkInput: whether NULL is an error";
    registerPenalty<Penalty::Ridge>(
        registry, {Penalty::Ridge, "|y - Xb|² + alpha |b|²", "alpha: 0 or more\n",
                   "solver: svd or cholesky; both give the same\nswColName: the column of the weights, at least 0"});
    registerPenalty<Penalty::Lasso>(registry,
                                    {Penalty::Lasso, "|y - Xb|² / 2n + alpha |b|₁", "alpha: 0 or more\n", positive});
    registerPenalty<Penalty::ElasticNet>(
        registry, {Penalty::ElasticNet, "|y - Xb|² / 2n + alpha l1Ratio |b|₁ + alpha (1 - l1Ratio) |b|² / 2",
                   "alpha: 0 or more\n", positive});
}

}  // namespace pelorus
