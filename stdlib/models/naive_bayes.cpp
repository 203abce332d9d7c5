// gaussianNB and multinomialNB: classes by Bayes' rule over independent factors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/value/print.h"
#include "stdlib/models/training.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// The distinct labels, ascending, with the rows of each.
struct Labels {
    std::vector<double> classes;
    std::vector<size_t> of;  // the class of each row
    std::vector<double> counts;
};
Labels labelsOf(const std::vector<double>& y) {
    constexpr size_t kMostClasses = 10000;
    Labels labels{y, {}, {}};
    std::ranges::sort(labels.classes);
    labels.classes.erase(std::unique(labels.classes.begin(), labels.classes.end()), labels.classes.end());
    if (labels.classes.size() > kMostClasses)
        throw UserError(
            0, fmt::format("Y has {} classes; at most {} are told apart.", labels.classes.size(), kMostClasses));
    labels.counts.assign(labels.classes.size(), 0.0);
    for (const double v : y) {
        const auto at = std::ranges::lower_bound(labels.classes, v) - labels.classes.begin();
        labels.of.push_back(static_cast<size_t>(at));
        ++labels.counts[labels.of.back()];
    }
    return labels;
}

// A matrix with a row for each class.
Value byClass(const std::vector<double>& cells, size_t classes, size_t factors) {
    return matrixOf(cells, classes, factors);
}

Value modelOf(std::string_view name, std::string_view predict, double smoothing, Ref<Dictionary> inner,
              const std::vector<std::string>& names) {
    const Ref<Dictionary> model = makeModel(name, predict);
    addMember(*model, "model", Value::of(std::move(inner)));
    addMember(*model, "varSmoothing", Value::ofDouble(smoothing));
    addMember(*model, "xColNames", namesValue(names));
    return Value::of(model);
}

std::vector<double> logShares(const Labels& labels) {
    std::vector<double> shares;
    for (const double count : labels.counts) shares.push_back(std::log(count / static_cast<double>(labels.of.size())));
    return shares;
}

// gaussianNB(Y, X, [varSmoothing])
Value gaussianKernel(Context&, Arguments a) {
    const double smoothing = realArgument(a, 2, "varSmoothing", 1e-9);
    if (!(smoothing > 0)) refuseArgument(2, "varSmoothing", "above 0", a[2]);
    const TrainingRows rows = trainingRows(a, NullCells::Refused);
    const Labels labels = labelsOf(rows.y);
    const size_t k = labels.classes.size(), p = rows.x.width();
    std::vector<double> means(k * p, 0.0), variances(k * p, 0.0);
    double widest = 0;
    for (size_t c = 0; c < p; ++c) {
        checkCancelled();
        const std::vector<double>& x = rows.x.columns[c];
        double mean = 0, squares = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            means[c * k + labels.of[i]] += x[i];
            mean += x[i] / static_cast<double>(x.size());
        }
        for (size_t j = 0; j < k; ++j) means[c * k + j] /= labels.counts[j];
        for (size_t i = 0; i < x.size(); ++i) {
            const double away = x[i] - means[c * k + labels.of[i]];
            variances[c * k + labels.of[i]] += away * away;
            squares += (x[i] - mean) * (x[i] - mean);
        }
        for (size_t j = 0; j < k; ++j) variances[c * k + j] /= labels.counts[j];
        widest = std::max(widest, squares / static_cast<double>(x.size()));
    }
    for (double& v : variances) v += smoothing * widest;
    auto inner = makeRef<Dictionary>(Type::String, Type::Any, true);
    addMember(*inner, "classes", realsOf(labels.classes));
    addMember(*inner, "logPriors", realsOf(logShares(labels)));
    addMember(*inner, "means", byClass(means, k, p));
    addMember(*inner, "variances", byClass(variances, k, p));
    return modelOf("GaussianNB", "gaussianNBPredict", smoothing, inner, rows.x.names);
}

// multinomialNB(Y, X, [varSmoothing])
Value multinomialKernel(Context&, Arguments a) {
    const double smoothing = realArgument(a, 2, "varSmoothing", 1);
    if (!(smoothing >= 0 && smoothing <= 1)) refuseArgument(2, "varSmoothing", "from 0 to 1", a[2]);
    const TrainingRows rows = trainingRows(a, NullCells::Refused);
    const Labels labels = labelsOf(rows.y);
    const size_t k = labels.classes.size(), p = rows.x.width();
    std::vector<double> counts(k * p, 0.0), totals(k, 0.0);
    for (size_t c = 0; c < p; ++c) {
        checkCancelled();
        for (size_t i = 0; i < rows.rows(); ++i) {
            const double x = rows.x.columns[c][i];
            if (!(x >= 0)) throw UserError(1, "X must hold counts of at least 0.");
            counts[c * k + labels.of[i]] += x;
            totals[labels.of[i]] += x;
        }
    }
    // Without smoothing a count of 0 would rule a class out for ever.
    const double added = std::max(smoothing, 1e-10);
    for (size_t c = 0; c < p; ++c) {
        for (size_t j = 0; j < k; ++j)
            counts[c * k + j] = std::log((counts[c * k + j] + added) / (totals[j] + added * static_cast<double>(p)));
    }
    auto inner = makeRef<Dictionary>(Type::String, Type::Any, true);
    addMember(*inner, "classes", realsOf(labels.classes));
    addMember(*inner, "logPriors", realsOf(logShares(labels)));
    addMember(*inner, "logShares", byClass(counts, k, p));
    return modelOf("MultinomialNB", "multinomialNBPredict", smoothing, inner, rows.x.names);
}

// Reads the inner model: its members by the same functions as those of the outer one.
std::vector<Value> innerOf(Arguments a) {
    return {modelMember(a, "model")};
}

// Returns the class whose score is highest for each row; `score` gives it for a factor's value.
template <class F>
Value classified(Arguments a, std::vector<Value>& inner, const NumberMatrix& first, F score) {
    const std::vector<double> classes = modelNumbers(inner, "classes"), priors = modelNumbers(inner, "logPriors");
    const NumberColumns x = factorsToPredict(a, NullCells::Kept);
    if (classes.empty() || priors.size() != classes.size() || first.rows != classes.size() ||
        first.columns != x.width())
        throw UserError(0, "The members of the model do not fit together.");
    std::vector<double> best(x.rows, -std::numeric_limits<double>::infinity()), result(x.rows, classes[0]);
    for (size_t j = 0; j < classes.size(); ++j) {
        checkCancelled();
        std::vector<double> scores(x.rows, priors[j]);
        for (size_t c = 0; c < x.width(); ++c) {
            for (size_t i = 0; i < x.rows; ++i)
                scores[i] = isNull(scores[i]) || isNull(x.columns[c][i]) ? null<double>
                                                                         : scores[i] + score(j, c, x.columns[c][i]);
        }
        for (size_t i = 0; i < x.rows; ++i) {
            if (isNull(scores[i]))
                result[i] = null<double>;
            else if (scores[i] > best[i]) {
                best[i] = scores[i];
                result[i] = classes[j];
            }
        }
    }
    return realsOf(result);
}

Value gaussianPredictKernel(Context&, Arguments a) {
    std::vector<Value> inner = innerOf(a);
    const NumberMatrix means = modelMatrix(inner, "means"), variances = modelMatrix(inner, "variances");
    if (variances.rows != means.rows || variances.columns != means.columns)
        throw UserError(0, "The members of the model do not fit together.");
    return classified(a, inner, means, [&](size_t j, size_t c, double x) {
        const double v = variances.at(j, c), away = x - means.at(j, c);
        return -0.5 * (std::log(2 * std::numbers::pi * v) + away * away / v);
    });
}

Value multinomialPredictKernel(Context&, Arguments a) {
    std::vector<Value> inner = innerOf(a);
    const NumberMatrix shares = modelMatrix(inner, "logShares");
    return classified(a, inner, shares, [&](size_t j, size_t c, double x) { return x * shares.at(j, c); });
}

}  // namespace

void registerNaiveBayes(FunctionRegistry& registry) {
    constexpr std::string_view kRows =
        "Y: a vector of numbers, the class of each row\nX: the factors: a table, matrix, "
        "vector or tuple of vectors\n";
    constexpr std::string_view kErrors =
        "Y and X differ in rows, or are not numeric; varSmoothing is out of its range; "
        "there are more than 10000 classes.";
    constexpr std::string_view kPredicts =
        "model: the dictionary\nX: a table with the columns that the model names, or as "
        "many columns in a matrix, tuple or vector";
    registry.add(
        "gaussianNB(Y, X, [varSmoothing=1e-9])", gaussianKernel,
        {.summary = "The naive Bayes classifier for factors that are normal within each class, as a model.",
         .parameters = fmt::format("{}{}", kRows, "varSmoothing: this share of the widest variance is added to each"),
         .nulls = "There must be none.",
         .errors = kErrors,
         .complexity = "O(rows · factors)",
         .source = "Chan, Golub, LeVeque 1979",
         .example = "predict(gaussianNB(0 0 1 1, table(1.0 2 8 9 as x)), table(1.5 8.5 as x)) -> [0,1]"});
    registry.add("gaussianNBPredict(model, X)", gaussianPredictKernel,
                 {.summary = "The classes that a model of gaussianNB predicts, as DOUBLE.",
                  .parameters = kPredicts,
                  .nulls = "NULL for a row with NULL.",
                  .errors = "X lacks a column; the model lacks a member.",
                  .complexity = "O(rows · factors · classes)",
                  .example = "gaussianNBPredict(gaussianNB(0 0 1 1, 1.0 2 8 9), 1.5 8.5) -> [0,1]"});
    registry.add(
        "multinomialNB(Y, X, [varSmoothing=1.0])", multinomialKernel,
        {.summary = "The naive Bayes classifier for factors that count, as a model.",
         .parameters = fmt::format("{}{}", kRows, "varSmoothing: this is added to each count, 0 to 1"),
         .nulls = "There must be none.",
         .errors = fmt::format("{}{}", kErrors, " X holds numbers below 0."),
         .complexity = "O(rows · factors)",
         .source = "Manning, Raghavan, Schütze, Introduction to Information Retrieval, chapter 13",
         .example = "predict(multinomialNB(0 0 1 1, table(5 6 0 1 as a, 0 1 7 5 as b)), table(4 0 as a, 1 4 as "
                    "b)) -> [0,1]"});
    registry.add("multinomialNBPredict(model, X)", multinomialPredictKernel,
                 {.summary = "The classes that a model of multinomialNB predicts, as DOUBLE.",
                  .parameters = kPredicts,
                  .nulls = "NULL for a row with NULL.",
                  .errors = "X lacks a column; the model lacks a member.",
                  .complexity = "O(rows · factors · classes)",
                  .example = "multinomialNBPredict(multinomialNB(0 1, (5 0, 0 7)), (4 0, 1 4)) -> [0,1]"});
}

}  // namespace pelorus
