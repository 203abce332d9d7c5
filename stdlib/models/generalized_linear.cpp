// glm and logisticRegression: linear predictors behind a link, fitted by iterated weighted least squares.
#include <fmt/format.h>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/error.h"
#include "runtime/table/table.h"
#include "runtime/value/print.h"
#include "stdlib/matrix/dense_solve.h"
#include "stdlib/models/cross_products.h"
#include "stdlib/models/training.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

enum class Family : uint8_t { Gaussian, Poisson, Gamma, InverseGaussian, Binomial };
enum class Link : uint8_t { Identity, Inverse, Log, Sqrt, InverseOfSquare, Logit, Probit };

constexpr std::string_view kFamilies[] = {"gaussian", "poisson", "gamma", "inverseGaussian", "binomial"};
constexpr std::string_view kLinks[] = {"identity", "inverse", "log", "sqrt", "inverseOfSquare", "logit", "probit"};

// The links of each family, the usual one first.
std::vector<Link> linksOf(Family family) {
    switch (family) {
        case Family::Gaussian:
            return {Link::Identity, Link::Inverse, Link::Log};
        case Family::Poisson:
            return {Link::Log, Link::Sqrt, Link::Identity};
        case Family::Gamma:
            return {Link::Inverse, Link::Identity, Link::Log};
        case Family::InverseGaussian:
            return {Link::InverseOfSquare, Link::Inverse, Link::Identity, Link::Log};
        case Family::Binomial:
            return {Link::Logit, Link::Probit};
    }
    return {};
}

double normalDensity(double x) {
    return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}
double normalShare(double x) {
    return std::erfc(-x / std::numbers::sqrt2) / 2;
}

// Returns the mean of a linear predictor, and the derivative of the mean by it.
double meanOf(Link link, double eta) {
    switch (link) {
        case Link::Identity:
            return eta;
        case Link::Inverse:
            return 1 / eta;
        case Link::Log:
            return std::exp(eta);
        case Link::Sqrt:
            return eta * eta;
        case Link::InverseOfSquare:
            return 1 / std::sqrt(eta);
        case Link::Logit:
            return 1 / (1 + std::exp(-eta));
        case Link::Probit:
            return normalShare(eta);
    }
    return eta;
}
double slopeOf(Link link, double eta) {
    switch (link) {
        case Link::Identity:
            return 1;
        case Link::Inverse:
            return -1 / (eta * eta);
        case Link::Log:
            return std::exp(eta);
        case Link::Sqrt:
            return 2 * eta;
        case Link::InverseOfSquare:
            return -0.5 * std::pow(eta, -1.5);
        case Link::Logit: {
            const double mean = meanOf(link, eta);
            return mean * (1 - mean);
        }
        case Link::Probit:
            return normalDensity(eta);
    }
    return 1;
}
double predictorOf(Link link, double mean) {
    switch (link) {
        case Link::Identity:
            return mean;
        case Link::Inverse:
            return 1 / mean;
        case Link::Log:
            return std::log(mean);
        case Link::Sqrt:
            return std::sqrt(mean);
        case Link::InverseOfSquare:
            return 1 / (mean * mean);
        case Link::Logit:
            return std::log(mean / (1 - mean));
        case Link::Probit:
            return boost::math::quantile(boost::math::normal(), mean);
    }
    return mean;
}
double varianceOf(Family family, double mean) {
    switch (family) {
        case Family::Gaussian:
            return 1;
        case Family::Poisson:
            return mean;
        case Family::Gamma:
            return mean * mean;
        case Family::InverseGaussian:
            return mean * mean * mean;
        case Family::Binomial:
            return mean * (1 - mean);
    }
    return 1;
}
double devianceOf(Family family, double y, double mean) {
    const auto logTerm = [](double a, double b) { return a == 0 ? 0 : a * std::log(a / b); };
    switch (family) {
        case Family::Gaussian:
            return (y - mean) * (y - mean);
        case Family::Poisson:
            return 2 * (logTerm(y, mean) - (y - mean));
        case Family::Gamma:
            return 2 * ((y - mean) / mean - std::log(std::max(y, 1e-300) / mean));
        case Family::InverseGaussian:
            return (y - mean) * (y - mean) / (std::max(y, 1e-300) * mean * mean);
        case Family::Binomial:
            return 2 * (logTerm(y, mean) + logTerm(1 - y, 1 - mean));
    }
    return 0;
}
// Returns the mean within what the family allows.
double allowedMean(Family family, double mean) {
    constexpr double kLeast = 1e-10;
    if (family == Family::Gaussian) return mean;
    if (family == Family::Binomial) return std::clamp(mean, kLeast, 1 - kLeast);
    return std::max(mean, kLeast);
}
void requireFamily(Family family, const std::vector<double>& y) {
    const auto fits = [&](double v) {
        switch (family) {
            case Family::Gaussian:
                return true;
            case Family::Poisson:
                return v >= 0 && v == std::floor(v);
            case Family::Gamma:
            case Family::InverseGaussian:
                return v >= 0;
            case Family::Binomial:
                return v == 0 || v == 1;
        }
        return false;
    };
    constexpr std::string_view kNeeded[] = {"", "whole numbers of at least 0", "at least 0", "at least 0", "0 or 1"};
    if (!std::ranges::all_of(y, fits))
        throw UserError(1, fmt::format("The dependent variable must be {} for the family {}.",
                                       kNeeded[static_cast<size_t>(family)], kFamilies[static_cast<size_t>(family)]));
}

size_t choiceArgument(Arguments a, size_t i, std::string_view name, std::span<const std::string_view> known,
                      size_t usual) {
    if (!isGiven(a, i)) return usual;
    const std::string given = stringArgument(a, i, name);
    for (size_t k = 0; k < known.size(); ++k) {
        if (known[k] == given) return k;
    }
    refuseArgument(i, name, fmt::format("one of {}", fmt::join(known, ", ")), a[i]);
}

struct Weighted {
    std::vector<double> theta, products;
    double deviance = 0, pearson = 0;
    int64_t iterations = 0;
};

// Iterates weighted least squares until the deviance changes by less than the tolerance.
Weighted fitGlm(Context& context, const TrainingRows& rows, Family family, Link link, double tolerance, int64_t most) {
    const size_t p = rows.x.width() + 1;
    Weighted fit;
    fit.theta.assign(p, 0.0);
    double mean = 0;
    for (const double y : rows.y) mean += y / static_cast<double>(rows.rows());
    double before = std::numeric_limits<double>::infinity();
    for (fit.iterations = 0; fit.iterations < most;) {
        context.checkCancelled();
        const bool isFirst = fit.iterations == 0;
        const WeightedSums sums = weightedSums(rows.x.columns, true, fit.theta, [&](size_t i, double eta) {
            const double y = rows.y[i];
            // The first predictors are those of means between the values and their mean.
            if (isFirst)
                eta =
                    predictorOf(link, allowedMean(family, family == Family::Binomial ? (y + 0.5) / 2 : (y + mean) / 2));
            const double mu = allowedMean(family, meanOf(link, eta)), slope = slopeOf(link, eta);
            const double weight = slope * slope / varianceOf(family, mu);
            const double working = slope == 0 ? eta : eta + (y - mu) / slope;
            return RowTerms{weight, weight * working, devianceOf(family, y, mu)};
        });
        std::vector<double> theta = sums.pulls;
        if (!solveDense(sums.products, theta, p))
            throw UserError(2, "The factors follow from each other, or separate the values.", "Leave one out.");
        ++fit.iterations;
        fit.theta = theta;
        if (std::abs(before - sums.value) < tolerance) break;
        before = sums.value;
    }
    const WeightedSums last = weightedSums(rows.x.columns, true, fit.theta, [&](size_t i, double eta) {
        const double mu = allowedMean(family, meanOf(link, eta)), slope = slopeOf(link, eta),
                     v = varianceOf(family, mu);
        return RowTerms{slope * slope / v, 0, (rows.y[i] - mu) * (rows.y[i] - mu) / v};
    });
    fit.products = last.products;
    fit.pearson = last.value;
    fit.deviance = weightedSums(rows.x.columns, true, fit.theta, [&](size_t i, double eta) {
                       return RowTerms{0, 0, devianceOf(family, rows.y[i], allowedMean(family, meanOf(link, eta)))};
                   }).value;
    return fit;
}

// glm(ds, yColName, xColNames, [family], [link], [tolerance], [maxIter])
Value glmKernel(Context& context, Arguments a) {
    const TrainingNames names = namesOfTraining(a);
    const auto family = static_cast<Family>(choiceArgument(a, 3, "family", kFamilies, 0));
    const std::vector<Link> links = linksOf(family);
    std::vector<std::string_view> known;
    for (const Link link : links) known.push_back(kLinks[static_cast<size_t>(link)]);
    const Link link = links[choiceArgument(a, 4, "link", known, 0)];
    const double tolerance = realArgument(a, 5, "tolerance", 1e-6);
    const int64_t most = integerArgument(a, 6, "maxIter", 100);
    if (!(tolerance >= 0)) refuseArgument(5, "tolerance", "0 or more", a[5]);
    if (most < 1) refuseArgument(6, "maxIter", "1 or more", a[6]);
    const TrainingRows rows = trainingRows(context, a, names, NullCells::Refused);
    requireFamily(family, rows.y);
    const size_t p = rows.x.width() + 1;
    if (rows.rows() < p)
        throw UserError(0, fmt::format("{} coefficients need as many rows, but there are {}.", p, rows.rows()));
    const Weighted fit = fitGlm(context, rows, family, link, tolerance, most);
    const double freedom = static_cast<double>(rows.rows() - p);
    const bool isFixed = family == Family::Poisson || family == Family::Binomial;
    const double dispersion = isFixed ? 1 : freedom > 0 ? fit.pearson / freedom : null<double>;
    std::vector<double> inverse(p * p, 0.0), errors(p), t(p), probabilities(p);
    for (size_t i = 0; i < p; ++i) inverse[i * p + i] = 1;
    if (!solveDense(fit.products, inverse, p, p)) std::ranges::fill(inverse, null<double>);
    for (size_t i = 0; i < p; ++i) {
        const double variance = inverse[i * p + i] * dispersion;
        const bool isKnown = !isNull(dispersion) && variance > 0;
        errors[i] = isKnown ? std::sqrt(variance) : null<double>;
        t[i] = isKnown ? fit.theta[i] / errors[i] : null<double>;
        const double size = std::abs(t[i]);
        probabilities[i] = !isKnown ? null<double>
                           : isFixed
                               ? std::erfc(size / std::numbers::sqrt2)
                               : 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), size));
    }
    auto table = makeRef<MemoryTable>(
        std::vector<std::string>{"beta", "stdError", "tstat", "pvalue"},
        std::vector<Value>{realsOf(fit.theta), realsOf(errors), realsOf(t), realsOf(probabilities)});
    const Ref<Dictionary> model = makeModel("Generalized Linear Model", "glmPredict");
    addMember(*model, "coefficients", Value::of(Ref<Table>(table)));
    addMember(*model, "link", Value::ofString(kLinks[static_cast<size_t>(link)]));
    addMember(*model, "tolerance", Value::ofDouble(tolerance));
    addMember(*model, "family", Value::ofString(kFamilies[static_cast<size_t>(family)]));
    addMember(*model, "xColNames", namesValue(names.x));
    addMember(*model, "residualDeviance", Value::ofDouble(fit.deviance));
    addMember(*model, "iterations", Value::ofInt(static_cast<int32_t>(fit.iterations)));
    addMember(*model, "dispersion", Value::ofDouble(dispersion));
    return Value::of(model);
}

// Returns the linear predictor of each row; theta has the intercept last, if there is one.
Ref<Vector> predictors(const std::vector<Ref<Vector>>& x, std::vector<double> theta, bool intercept) {
    double constant = 0;
    if (intercept) {
        constant = theta.back();
        theta.pop_back();
    }
    return linearPredictor(x, theta, constant);
}

// glmPredict(model, X)
Value glmPredictKernel(Context&, Arguments a) {
    const Value table = modelMember(a, "coefficients"), name = modelMember(a, "link");
    const std::vector<double> theta = namedColumns(table, 0, {"beta"}, NullCells::Refused).columns[0];
    const auto link = std::ranges::find(kLinks, name.isString() ? name.string() : "") - std::begin(kLinks);
    if (link == std::ssize(kLinks)) throw UserError(0, "The model has an unknown link.");
    const std::vector<Ref<Vector>> x = factorVectorsToPredict(a);
    if (x.size() + 1 != theta.size()) throw UserError(0, "The members of the model do not fit together.");
    const Ref<Vector> y = predictors(x, theta, true);
    double* means = y->mutableData<double>();
    for (int64_t i = 0; i < y->size(); ++i)
        means[i] = isNull(means[i]) ? means[i] : meanOf(static_cast<Link>(link), means[i]);
    return Value::of(y);
}

struct LogisticFit {
    std::vector<double> theta;
    int64_t iterations = 0;
    double loss = 0;
};

// Newton's method on the negative log likelihood with half the penalty times the squares of the factors' coefficients.
LogisticFit fitLogistic(Context& context, const TrainingRows& rows, const std::vector<double>& y, bool intercept,
                        const std::vector<double>& start, double tolerance, int64_t most, double penalty) {
    LogisticFit fit{start};
    const size_t factors = rows.x.width(), p = start.size();
    std::vector<double> before;
    while (fit.iterations < most) {
        context.checkCancelled();
        WeightedSums sums = weightedSums(rows.x.columns, intercept, fit.theta, [&](size_t i, double eta) {
            const double mean = 1 / (1 + std::exp(-eta));
            const double loss = std::max(eta, 0.0) + std::log1p(std::exp(-std::abs(eta))) - y[i] * eta;
            return RowTerms{std::max(mean * (1 - mean), 1e-12), y[i] - mean, loss};
        });
        fit.loss = sums.value;
        for (size_t c = 0; c < factors; ++c) {
            sums.pulls[c] -= penalty * fit.theta[c];
            sums.products[c * p + c] += penalty;
        }
        double change = 0;
        for (size_t c = 0; c < p; ++c)
            change = std::max(change, std::abs(sums.pulls[c] - (before.empty() ? 0 : before[c])));
        if (change < tolerance) break;
        before = sums.pulls;
        if (!solveDense(sums.products, sums.pulls, p))
            throw UserError(2, "The factors follow from each other.", "Leave one out.");
        for (size_t c = 0; c < p; ++c) fit.theta[c] += sums.pulls[c];
        ++fit.iterations;
    }
    return fit;
}

// logisticRegression(ds, yColName, xColNames, [intercept], [initTheta], [tolerance], [maxIter], [regularizationCoeff],
// [numClasses])
Value logisticKernel(Context& context, Arguments a) {
    const TrainingNames names = namesOfTraining(a);
    const bool intercept = flagArgument(a, 3, "intercept", true);
    const size_t p = names.x.size() + intercept;
    std::vector<double> start(p, 0.0);
    if (isGiven(a, 4)) start = columnArgument(a, 4, "initTheta", NullCells::Refused);
    if (start.size() != p) refuseArgument(4, "initTheta", fmt::format("{} numbers", p), a[4]);
    const double tolerance = realArgument(a, 5, "tolerance", 1e-3);
    const int64_t most = integerArgument(a, 6, "maxIter", 500), classes = integerArgument(a, 8, "numClasses", 2);
    const double penalty = realArgument(a, 7, "regularizationCoeff", 1);
    if (!(tolerance > 0)) refuseArgument(5, "tolerance", "above 0", a[5]);
    if (most < 1) refuseArgument(6, "maxIter", "1 or more", a[6]);
    if (!(penalty > 0)) refuseArgument(7, "regularizationCoeff", "above 0", a[7]);
    if (classes < 2 || classes > 10000) refuseArgument(8, "numClasses", "from 2 to 10000", a[8]);
    const TrainingRows rows = trainingRows(context, a, names, NullCells::Refused);
    const std::vector<int> labels = classesOf(rows.y, classes, 1);
    std::vector<double> thetas, losses;
    std::vector<int32_t> iterations;
    const int64_t fits = classes == 2 ? 1 : classes;
    thetas.resize(static_cast<size_t>(fits) * p);
    for (int64_t k = 0; k < fits; ++k) {
        std::vector<double> isClass(rows.rows());
        for (size_t i = 0; i < rows.rows(); ++i) isClass[i] = labels[i] == (classes == 2 ? 1 : k);
        const LogisticFit fit = fitLogistic(context, rows, isClass, intercept, start, tolerance, most, penalty);
        for (size_t c = 0; c < p; ++c) thetas[c * static_cast<size_t>(fits) + static_cast<size_t>(k)] = fit.theta[c];
        losses.push_back(fit.loss);
        iterations.push_back(static_cast<int32_t>(fit.iterations));
    }
    const Ref<Dictionary> model = makeModel("Logistic Regression", "logisticRegressionPredict");
    addMember(*model, "tolerance", Value::ofDouble(tolerance));
    addMember(*model, "xColNames", namesValue(names.x));
    addMember(*model, "intercept", Value::ofBool(intercept));
    addMember(*model, "numClasses", Value::ofInt(static_cast<int32_t>(classes)));
    addMember(*model, "coefficients", classes == 2 ? realsOf(thetas) : matrixOf(thetas, static_cast<size_t>(fits), p));
    addMember(*model, "iterations", Value::of(Vector::of(Type::Int, iterations)));
    addMember(*model, "logLikelihood", realsOf(losses));
    return Value::of(model);
}

// logisticRegressionPredict(model, X)
Value logisticPredictKernel(Context&, Arguments a) {
    const std::vector<Ref<Vector>> x = factorVectorsToPredict(a);
    std::vector<Value> held = {modelMember(a, "intercept"), modelMember(a, "coefficients")};
    const bool intercept = flagArgument(held, 0, "intercept of the model", true);
    const NumberMatrix thetas = matrixArgument(held, 1, "coefficients of the model", true);
    if (x.empty() || thetas.columns != x.size() + intercept)
        throw UserError(0, "The members of the model do not fit together.");
    const auto rows = static_cast<size_t>(x[0]->size());
    std::vector<double> best(rows, -std::numeric_limits<double>::infinity());
    std::vector<int32_t> classes(rows, 0);
    for (size_t k = 0; k < thetas.rows; ++k) {
        std::vector<double> theta;
        for (size_t c = 0; c < thetas.columns; ++c) theta.push_back(thetas.at(k, c));
        const Ref<Vector> predicted = predictors(x, theta, intercept);
        const double* eta = predicted->data<double>();
        for (size_t i = 0; i < rows; ++i) {
            if (isNull(eta[i]))
                classes[i] = null<int32_t>;
            else if (thetas.rows == 1)
                classes[i] = eta[i] > 0;
            else if (eta[i] > best[i]) {
                best[i] = eta[i];
                classes[i] = static_cast<int32_t>(k);
            }
        }
    }
    return Value::of(Vector::of(Type::Int, classes));
}

}  // namespace

void registerGeneralizedLinear(FunctionRegistry& registry) {
    constexpr std::string_view kData =
        "ds: a table, or data sources as sqlDS gives them\nyColName: the name of the dependent variable\n"
        "xColNames: the names of the factors\n";
    constexpr std::string_view kErrors =
        "There is no such column; columns are not numeric; the dependent variable does not fit; the factors follow "
        "from "
        "each other; an option is out of its range.";
    registry.add(
        "glm(ds, yColName, xColNames, [family='gaussian'], [link], [tolerance=1e-6], [maxIter=100])", glmKernel,
        {.summary = "A generalized linear model: a dictionary of coefficients (a table of beta, stdError, tstat and "
                    "pvalue, the intercept last), residualDeviance, dispersion, iterations, and the arguments.",
         .parameters =
             std::string(kData) +
             "family: gaussian, poisson (whole numbers), gamma, inverseGaussian (at least 0) or binomial (0 "
             "and 1)\n"
             "link: gaussian: identity, inverse, log; poisson: log, sqrt, identity; gamma: inverse, identity, "
             "log; inverseGaussian: inverseOfSquare, inverse, identity, log; binomial: logit, probit; by "
             "default the first\n"
             "tolerance: a change of the deviance below it ends the iterations\nmaxIter: from 1",
         .nulls = "There must be none.",
         .errors = kErrors,
         .complexity = "O(iterations · rows · factors²); all rows are in memory",
         .source = "Nelder, Wedderburn 1972",
         .example = "round(glm(table(0 1 2 3 as x, 1 3 5 7 as y), `y, `x)[`coefficients].beta, 6) -> [2,1]"
                    "\nglm(table(0 1 2 3 as x, 1 3 5 7 as y), `y, `x)"});
    registry.add(
        "glmPredict(model, X)", glmPredictKernel,
        {.summary = "The means that a model of glm predicts, as DOUBLE.",
         .parameters = "model: the dictionary\nX: a table with the columns that the model names, or as many "
                       "columns in a matrix, tuple or vector",
         .nulls = "NULL for a row with NULL.",
         .errors = "X lacks a column; the model lacks a member.",
         .complexity = "O(rows · factors)",
         .example = "round(glmPredict(glm(table(0 1 2 3 as x, 1 3 5 7 as y), `y, `x), table(9 as x)), 6) -> [19]"
                    "\nglmPredict(glm(table(0 1 2 3 as x, 1 3 5 7 as y), `y, `x), table(9 as x))"});
    registry.add(
        "logisticRegression(ds, yColName, xColNames, [intercept=true], [initTheta], [tolerance=1e-3], [maxIter=500], "
        "[regularizationCoeff=1.0], [numClasses=2])",
        logisticKernel,
        {.summary =
             "A logistic regression: a dictionary of coefficients (a vector, the intercept last; a matrix with a "
             "row for each class where there are more than two), iterations, logLikelihood (negative, of the "
             "data alone), and the arguments.",
         .parameters =
             std::string(kData) +
             "intercept: whether there is one\ninitTheta: where the search begins, zeros by default\n"
             "tolerance: the largest change of the gradient that ends the iterations, above 0\n"
             "maxIter: from 1\n"
             "regularizationCoeff: half of it times the squares of the coefficients is added to the negative "
             "log likelihood; the intercept is free\n"
             "numClasses: the classes are 0 to numClasses - 1; more than two are each fitted against the rest",
         .nulls = "There must be none.",
         .errors = kErrors,
         .complexity = "O(iterations · classes · rows · factors²); all rows are in memory",
         .source = "Newton's method; Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, section 4.4",
         .example = "predict(logisticRegression(table(-2 -1 1 2 as x, 0 0 1 1 as y), `y, `x), table(-3 3 as x)) -> "
                    "[0,1]"
                    "\nlogisticRegression(table(-2 -1 1 2 as x, 0 0 1 1 as y), `y, `x)"});
    registry.add(
        "logisticRegressionPredict(model, X)", logisticPredictKernel,
        {.summary = "The classes that a model of logisticRegression predicts, as INT.",
         .parameters = "model: the dictionary\nX: as of glmPredict",
         .nulls = "NULL for a row with NULL.",
         .errors = "X lacks a column; the model lacks a member.",
         .complexity = "O(rows · factors · classes)",
         .example = "logisticRegressionPredict(logisticRegression(table(-2 -1 1 2 as x, 0 0 1 1 as y), `y, `x), "
                    "table(-3 3 as x)) -> [0,1]"});
}

}  // namespace pelorus
