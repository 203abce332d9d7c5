// randomForestClassifier, randomForestRegressor, adaBoostClassifier and adaBoostRegressor.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/value/print.h"
#include "stdlib/models/decision_tree.h"
#include "stdlib/models/training.h"
#include "stdlib/random.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// The arguments that all four have, from maxFeatures on.
struct ForestArguments {
    TreeOptions tree;
    int64_t trees = 10, bins = 32;
    uint64_t seed = 0;
    Value maxFeatures;
};

ForestArguments forestArguments(Arguments a, size_t at, int64_t depth, int64_t classes, size_t seedAt) {
    ForestArguments f;
    f.trees = integerArgument(a, at + 1, "numTrees", 10);
    f.bins = integerArgument(a, at + 2, "numBins", 32);
    f.tree.maxDepth = integerArgument(a, at + 3, "maxDepth", depth);
    f.tree.minDecrease = realArgument(a, at + 4, "minImpurityDecrease", 0);
    f.tree.classes = static_cast<size_t>(classes);
    if (f.trees < 1 || f.trees > 100000) refuseArgument(at + 1, "numTrees", "from 1 to 100000", a[at + 1]);
    if (f.bins < 2 || f.bins > 65536) refuseArgument(at + 2, "numBins", "from 2 to 65536", a[at + 2]);
    if (f.bins * classes > 10000000)  // the counts of a node
        refuseArgument(at + 2, "numBins", fmt::format("at most {} for {} classes", 10000000 / classes, classes),
                       a[at + 2]);
    if (f.tree.maxDepth < 1) refuseArgument(at + 3, "maxDepth", "1 or more", a[at + 3]);
    if (!(f.tree.minDecrease >= 0)) refuseArgument(at + 4, "minImpurityDecrease", "0 or more", a[at + 4]);
    f.seed = seedArgument(a, seedAt, "randomSeed");
    return f;
}

// Reads how many factors are tried at a node: a count, a share below 1, or 0 for what is usual.
void readMaxFeatures(Arguments a, size_t at, size_t factors, size_t usual, ForestArguments& f) {
    f.maxFeatures = isGiven(a, at) ? a[at] : Value::ofInt(0);
    const double given = realArgument(a, at, "maxFeatures", 0);
    const auto all = static_cast<double>(factors);
    const bool isShare = given > 0 && given < 1;
    if (!(given >= 0 && given <= all) || (!isShare && given != std::floor(given)))
        refuseArgument(at, "maxFeatures", "0, a count up to the factors, or a share below 1", a[at]);
    f.tree.maxFeatures = given == 0 ? usual : std::max<size_t>(1, static_cast<size_t>(isShare ? given * all : given));
}

int64_t classesArgument(Arguments a) {
    const int64_t classes = integerArgument(a, 3, "numClasses");
    if (classes < 2 || classes > 10000) refuseArgument(3, "numClasses", "from 2 to 10000", a[3]);
    return classes;
}

TrainingRows rowsToFit(Context& context, Arguments a, const TrainingNames& names, int64_t classes) {
    const TrainingRows rows = trainingRows(context, a, names, NullCells::Refused);
    if (rows.rows() > UINT32_MAX) throw UserError(0, "There are more rows than a forest takes.");
    if (classes > 0) (void)classesOf(rows.y, classes, 1);
    return rows;
}

Ref<Dictionary> forestModel(std::string_view name, std::string_view predict, const ForestArguments& f,
                            const std::vector<DecisionTree>& trees, const TrainingNames& names) {
    auto tuple = makeRef<Tuple>();
    for (const DecisionTree& tree : trees) tuple->elements.push_back(tree.asMatrix());
    const Ref<Dictionary> model = makeModel(name, predict);
    if (f.tree.classes > 0) addMember(*model, "numClasses", Value::ofInt(static_cast<int32_t>(f.tree.classes)));
    addMember(*model, "minImpurityDecrease", Value::ofDouble(f.tree.minDecrease));
    addMember(*model, "maxDepth", Value::ofInt(static_cast<int32_t>(std::min<int64_t>(f.tree.maxDepth, INT32_MAX))));
    addMember(*model, "numBins", Value::ofInt(static_cast<int32_t>(f.bins)));
    addMember(*model, "numTrees", Value::ofInt(static_cast<int32_t>(f.trees)));
    addMember(*model, "maxFeatures", f.maxFeatures);
    addMember(*model, "model", Value::of(std::move(tuple)));
    addMember(*model, "xColNames", namesValue(names.x));
    return model;
}

// Draws how often each row stands in a sample of as many rows, by the chances; all the same when empty.
std::vector<double> bootstrap(size_t rows, const std::vector<double>& chances, std::mt19937_64& random) {
    std::vector<double> counts(rows, 0.0);
    std::vector<double> sums;
    if (!chances.empty()) {
        sums.resize(rows);
        std::partial_sum(chances.begin(), chances.end(), sums.begin());
    }
    for (size_t i = 0; i < rows; ++i) {
        if (sums.empty()) {
            ++counts[random() % rows];
            continue;
        }
        const double at = unitOf(random) * sums.back();
        const auto row = std::ranges::upper_bound(sums, at) - sums.begin();
        ++counts[std::min(static_cast<size_t>(row), rows - 1)];
    }
    return counts;
}

std::vector<DecisionTree> grownForest(const TrainingRows& rows, const ForestArguments& f) {
    const BinnedFactors binned = BinnedFactors::of(rows.x, static_cast<size_t>(f.bins));
    std::vector<DecisionTree> trees(static_cast<size_t>(f.trees));
    // Each tree has a generator of its own, so that the order in which they grow does not matter.
    parallelFor(f.trees, [&](int64_t i) {
        std::mt19937_64 random(f.seed + 0x9E3779B97F4A7C15u * static_cast<uint64_t>(i + 1));
        const std::vector<double> weights = bootstrap(rows.rows(), {}, random);
        trees[static_cast<size_t>(i)] = growTree(binned, rows.y, weights, f.tree, random);
    });
    return trees;
}

size_t rootOf(size_t factors) {
    return std::max<size_t>(1, static_cast<size_t>(std::sqrt(static_cast<double>(factors))));
}

// randomForestClassifier(ds, yColName, xColNames, numClasses, [maxFeatures], [numTrees], [numBins], [maxDepth],
// [minImpurityDecrease], [numJobs], [randomSeed])
Value forestClassifierKernel(Context& context, Arguments a) {
    const TrainingNames names = namesOfTraining(a);
    const int64_t classes = classesArgument(a);
    ForestArguments f = forestArguments(a, 4, 32, classes, 10);
    (void)integerArgument(a, 9, "numJobs", -1);
    readMaxFeatures(a, 4, names.x.size(), rootOf(names.x.size()), f);
    const TrainingRows rows = rowsToFit(context, a, names, classes);
    return Value::of(
        forestModel("Random Forest Classifier", "randomForestClassifierPredict", f, grownForest(rows, f), names));
}

// randomForestRegressor(ds, yColName, xColNames, [maxFeatures], [numTrees], [numBins], [maxDepth],
// [minImpurityDecrease], [numJobs], [randomSeed])
Value forestRegressorKernel(Context& context, Arguments a) {
    const TrainingNames names = namesOfTraining(a);
    ForestArguments f = forestArguments(a, 3, 32, 0, 9);
    (void)integerArgument(a, 8, "numJobs", -1);
    readMaxFeatures(a, 3, names.x.size(), rootOf(names.x.size()), f);
    const TrainingRows rows = rowsToFit(context, a, names, 0);
    return Value::of(
        forestModel("Random Forest Regressor", "randomForestRegressorPredict", f, grownForest(rows, f), names));
}

// The trees of a model, with the factors to predict from.
struct Loaded {
    std::vector<DecisionTree> trees;
    NumberColumns x;
};
Loaded loadedModel(Arguments a, size_t width) {
    Loaded loaded;
    loaded.x = factorsToPredict(a, NullCells::Refused);
    const Value trees = modelMember(a, "model");
    if (!trees.isTuple() || trees.size() == 0) throw UserError(0, "The member model holds no trees.");
    for (const Value& tree : trees.tuple().elements)
        loaded.trees.push_back(DecisionTree::load(tree, loaded.x.width(), width));
    return loaded;
}

void forRowBlocks(size_t rows, const std::function<void(size_t)>& f) {
    constexpr size_t kBlock = 4096;
    parallelFor(static_cast<int64_t>((rows + kBlock - 1) / kBlock), [&](int64_t b) {
        const size_t begin = static_cast<size_t>(b) * kBlock;
        for (size_t i = begin; i < std::min(rows, begin + kBlock); ++i) f(i);
    });
}

size_t modelClasses(Arguments a) {
    const int64_t classes = modelInteger(a, "numClasses");
    if (classes < 2 || classes > 10000) throw UserError(0, "The member numClasses of the model is out of its range.");
    return static_cast<size_t>(classes);
}

Value largestClass(const std::vector<double>& scores, size_t classes) {
    std::vector<double> result;
    for (size_t i = 0; i < scores.size(); i += classes) {
        const auto first = scores.begin() + static_cast<ptrdiff_t>(i);
        result.push_back(static_cast<double>(std::max_element(first, first + static_cast<ptrdiff_t>(classes)) - first));
    }
    return realsOf(result);
}

// randomForestClassifierPredict(model, X)
Value forestClassesKernel(Context&, Arguments a) {
    const size_t classes = modelClasses(a);
    const Loaded m = loadedModel(a, classes);
    std::vector<double> scores(m.x.rows * classes, 0.0);
    forRowBlocks(m.x.rows, [&](size_t i) {
        for (const DecisionTree& tree : m.trees) {
            const double* shares = tree.leafOf(m.x, i);
            for (size_t k = 0; k < classes; ++k) scores[i * classes + k] += shares[k];
        }
    });
    return largestClass(scores, classes);
}

// randomForestRegressorPredict(model, X)
Value forestValuesKernel(Context&, Arguments a) {
    const Loaded m = loadedModel(a, 1);
    std::vector<double> result(m.x.rows, 0.0);
    forRowBlocks(m.x.rows, [&](size_t i) {
        double sum = 0;
        for (const DecisionTree& tree : m.trees) sum += *tree.leafOf(m.x, i);
        result[i] = sum / static_cast<double>(m.trees.size());
    });
    return realsOf(result);
}

void normalize(std::vector<double>& weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& w : weights) w /= sum;
}

struct Boosted {
    std::vector<DecisionTree> trees;
    std::vector<double> votes;
};

// Adds a tree on weighted rows, and weights the rows anew. Returns false when no more are wanted.
using BoostStep = std::function<bool(const BinnedFactors& binned, std::vector<double>& weights, std::mt19937_64& random,
                                     Boosted& boosted)>;

// Grows up to f.trees trees one after the other, on rows that weigh alike at first.
Boosted boost(Context& context, const TrainingRows& rows, const ForestArguments& f, const BoostStep& step) {
    const BinnedFactors binned = BinnedFactors::of(rows.x, static_cast<size_t>(f.bins));
    std::vector<double> weights(rows.rows(), 1.0 / static_cast<double>(rows.rows()));
    std::mt19937_64 random(f.seed);
    Boosted boosted;
    for (int64_t i = 0; i < f.trees; ++i) {
        context.checkCancelled();
        if (!step(binned, weights, random, boosted)) break;
    }
    return boosted;
}

double rateArgument(Arguments a, size_t i) {
    const double rate = realArgument(a, i, "learningRate", 0.1);
    if (!(rate > 0)) refuseArgument(i, "learningRate", "above 0", a[i]);
    return rate;
}

std::vector<double> logShares(const double* shares, size_t classes) {
    std::vector<double> logs;
    for (size_t k = 0; k < classes; ++k) logs.push_back(std::log(std::max(shares[k], 2.220446049250313e-16)));
    return logs;
}

// Adds a tree and weights the rows anew (Zhu, Zou, Rosset, Hastie 2009). Returns false when no more are wanted.
bool boostClasses(const TrainingRows& rows, const BinnedFactors& binned, const ForestArguments& f, bool isReal,
                  double rate, std::vector<double>& weights, std::mt19937_64& random, Boosted& boosted) {
    const size_t classes = f.tree.classes, n = rows.rows();
    DecisionTree tree = growTree(binned, rows.y, weights, f.tree, random);
    std::vector<const double*> shares(n);
    forRowBlocks(n, [&](size_t i) { shares[i] = tree.leafOf(rows.x, i); });
    double error = 0;
    std::vector<bool> isWrong(n);
    for (size_t i = 0; i < n; ++i) {
        isWrong[i] = static_cast<double>(std::max_element(shares[i], shares[i] + classes) - shares[i]) != rows.y[i];
        error += isWrong[i] ? weights[i] : 0;
    }
    const auto k = static_cast<double>(classes);
    const bool isPerfect = error <= 0, isUseless = error >= 1 - 1 / k;
    if (!isReal && isUseless && !boosted.trees.empty()) return false;
    const double vote = isReal || isPerfect || isUseless ? 1 : rate * (std::log((1 - error) / error) + std::log(k - 1));
    for (size_t i = 0; i < n && !isPerfect; ++i) {
        if (isReal) {
            const std::vector<double> logs = logShares(shares[i], classes);
            const double others = std::accumulate(logs.begin(), logs.end(), 0.0) - logs[static_cast<size_t>(rows.y[i])];
            // The code of a class is 1 at its place, else -1 / (k - 1).
            const double along = logs[static_cast<size_t>(rows.y[i])] - others / (k - 1);
            weights[i] *= std::exp(-rate * (k - 1) / k * along);
        } else if (isWrong[i]) {
            weights[i] *= std::exp(vote);
        }
    }
    normalize(weights);
    boosted.trees.push_back(std::move(tree));
    boosted.votes.push_back(vote);
    return !isPerfect && !isUseless;
}

// adaBoostClassifier(ds, yColName, xColNames, numClasses, [maxFeatures], [numTrees], [numBins], [maxDepth],
// [minImpurityDecrease], [learningRate], [algorithm], [randomSeed])
Value boostClassifierKernel(Context& context, Arguments a) {
    const TrainingNames names = namesOfTraining(a);
    const int64_t classes = classesArgument(a);
    ForestArguments f = forestArguments(a, 4, 10, classes, 11);
    readMaxFeatures(a, 4, names.x.size(), 0, f);
    const double rate = rateArgument(a, 9);
    const std::string algorithm = stringArgument(a, 10, "algorithm", "SAMME.R");
    if (algorithm != "SAMME.R" && algorithm != "SAMME") refuseArgument(10, "algorithm", "SAMME.R or SAMME", a[10]);
    const TrainingRows rows = rowsToFit(context, a, names, classes);
    const Boosted boosted =
        boost(context, rows, f, [&](const BinnedFactors& binned, auto& weights, auto& random, Boosted& grown) {
            return boostClasses(rows, binned, f, algorithm == "SAMME.R", rate, weights, random, grown);
        });
    const Ref<Dictionary> model =
        forestModel("AdaBoost Classifier", "adaBoostClassifierPredict", f, boosted.trees, names);
    addMember(*model, "learningRate", Value::ofDouble(rate));
    addMember(*model, "algorithm", Value::ofString(algorithm));
    addMember(*model, "treeWeights", realsOf(boosted.votes));
    return Value::of(model);
}

// adaBoostClassifierPredict(model, X)
Value boostClassesKernel(Context&, Arguments a) {
    const size_t classes = modelClasses(a);
    const Loaded m = loadedModel(a, classes);
    const std::vector<double> votes = modelNumbers(a, "treeWeights");
    const Value algorithm = modelMember(a, "algorithm");
    const bool isReal = algorithm.isString() && algorithm.string() == "SAMME.R";
    if (votes.size() != m.trees.size()) throw UserError(0, "The members of the model do not fit together.");
    std::vector<double> scores(m.x.rows * classes, 0.0);
    forRowBlocks(m.x.rows, [&](size_t i) {
        for (size_t t = 0; t < m.trees.size(); ++t) {
            const double* shares = m.trees[t].leafOf(m.x, i);
            if (!isReal) {
                scores[i * classes + static_cast<size_t>(std::max_element(shares, shares + classes) - shares)] +=
                    votes[t];
                continue;
            }
            const std::vector<double> logs = logShares(shares, classes);
            const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(classes);
            for (size_t k = 0; k < classes; ++k)
                scores[i * classes + k] += (static_cast<double>(classes) - 1) * (logs[k] - mean);
        }
    });
    return largestClass(scores, classes);
}

// Adds a tree on rows drawn by their weights, and weights them anew by their errors (Drucker 1997). Returns false when
// no more are wanted.
bool boostValues(const TrainingRows& rows, const BinnedFactors& binned, const ForestArguments& f, std::string_view loss,
                 double rate, std::vector<double>& weights, std::mt19937_64& random, Boosted& boosted) {
    const size_t n = rows.rows();
    DecisionTree tree = growTree(binned, rows.y, bootstrap(n, weights, random), f.tree, random);
    std::vector<double> errors(n);
    forRowBlocks(n, [&](size_t i) { errors[i] = std::abs(*tree.leafOf(rows.x, i) - rows.y[i]); });
    const double largest = std::ranges::max(errors);
    double mean = 0;
    for (size_t i = 0; i < n; ++i) {
        double& e = errors[i];
        if (largest > 0) e /= largest;
        if (loss == "square") e *= e;
        if (loss == "exponential") e = 1 - std::exp(-e);
        mean += weights[i] * e;
    }
    const bool isPerfect = mean <= 0, isUseless = mean >= 0.5;
    if (isUseless && !boosted.trees.empty()) return false;
    const double beta = mean / (1 - mean);
    boosted.trees.push_back(std::move(tree));
    boosted.votes.push_back(isPerfect || isUseless ? 1 : rate * std::log(1 / beta));
    if (isPerfect || isUseless) return false;
    for (size_t i = 0; i < n; ++i) weights[i] *= std::pow(beta, (1 - errors[i]) * rate);
    normalize(weights);
    return true;
}

// adaBoostRegressor(ds, yColName, xColNames, [maxFeatures], [numTrees], [numBins], [maxDepth], [minImpurityDecrease],
// [learningRate], [loss], [randomSeed])
Value boostRegressorKernel(Context& context, Arguments a) {
    const TrainingNames names = namesOfTraining(a);
    ForestArguments f = forestArguments(a, 3, 10, 0, 10);
    readMaxFeatures(a, 3, names.x.size(), 0, f);
    const double rate = rateArgument(a, 8);
    const std::string loss = stringArgument(a, 9, "loss", "linear");
    if (loss != "linear" && loss != "square" && loss != "exponential")
        refuseArgument(9, "loss", "linear, square or exponential", a[9]);
    const TrainingRows rows = rowsToFit(context, a, names, 0);
    const Boosted boosted =
        boost(context, rows, f, [&](const BinnedFactors& binned, auto& weights, auto& random, Boosted& grown) {
            return boostValues(rows, binned, f, loss, rate, weights, random, grown);
        });
    const Ref<Dictionary> model =
        forestModel("AdaBoost Regressor", "adaBoostRegressorPredict", f, boosted.trees, names);
    addMember(*model, "learningRate", Value::ofDouble(rate));
    addMember(*model, "loss", Value::ofString(loss));
    addMember(*model, "treeWeights", realsOf(boosted.votes));
    return Value::of(model);
}

// adaBoostRegressorPredict(model, X): the weighted median of what the trees predict.
Value boostValuesKernel(Context&, Arguments a) {
    const Loaded m = loadedModel(a, 1);
    const std::vector<double> votes = modelNumbers(a, "treeWeights");
    if (votes.size() != m.trees.size()) throw UserError(0, "The members of the model do not fit together.");
    const double half = std::accumulate(votes.begin(), votes.end(), 0.0) / 2;
    std::vector<double> result(m.x.rows);
    forRowBlocks(m.x.rows, [&](size_t i) {
        std::vector<std::pair<double, double>> said;
        for (size_t t = 0; t < m.trees.size(); ++t) said.emplace_back(*m.trees[t].leafOf(m.x, i), votes[t]);
        std::ranges::sort(said);
        double sum = 0;
        for (const auto& [value, vote] : said) {
            result[i] = value;
            if ((sum += vote) >= half) break;
        }
    });
    return realsOf(result);
}

constexpr std::string_view kData =
    "ds: a table, or data sources as sqlDS gives them\nyColName: the name of the dependent variable\n"
    "xColNames: the names of the factors\n";
constexpr std::string_view kErrors =
    "There is no such column; columns are not numeric; a class is out of its range; an option is out of its range.";

std::string optionsText(int depth, bool tripsToRoot) {
    return fmt::format(
        "maxFeatures: the factors that are tried at a node: a count, a share below 1, or 0 for {}\n"
        "numTrees: the most trees\nnumBins: the bins of a factor, 2 to 65536\nmaxDepth: {} levels by default\n"
        "minImpurityDecrease: a split must reduce the impurity by this much, as a share of all rows\n",
        tripsToRoot ? "the root of their number" : "all", depth);
}

void addPredict(FunctionRegistry& registry, std::string_view syntax, Kernel kernel, std::string_view of,
                std::string_view example) {
    registry.add(syntax, kernel,
                 {.summary = fmt::format("What a model of {} predicts, as DOUBLE.", of),
                  .parameters = "model: the dictionary\nX: a table with the columns that the model names, or as many "
                                "columns in a matrix, tuple or vector",
                  .nulls = "X must hold none.",
                  .errors = "X lacks a column; the model lacks a member, or is damaged.",
                  .complexity = "O(rows · trees · depth)",
                  .example = example});
}

}  // namespace

void registerForests(FunctionRegistry& registry) {
    // Without a seed the trees are drawn.
    const Declaration draws{.effect = Effect::Volatile};
    const std::string jobs =
        "numJobs: is taken and changes nothing; all threads of the process grow trees\n"
        "randomSeed: an integer that makes the result repeatable, on any number of threads";
    const std::string seed = "randomSeed: an integer that makes the result repeatable";
    constexpr std::string_view kForest = "Breiman 2001, over binned factors";
    constexpr std::string_view kCost = "O(trees · depth · rows · factors tried); all rows are in memory";
    const std::string table = "table(1 2 3 4 5 6 7 8 as x, 0 0 0 0 1 1 1 1 as y), `y, `x";
    registry.add(
        "randomForestClassifier(ds, yColName, xColNames, numClasses, [maxFeatures=0], [numTrees=10], [numBins=32], "
        "[maxDepth=32], [minImpurityDecrease=0.0], [numJobs=-1], [randomSeed])",
        forestClassifierKernel,
        {.summary = "A forest of classification trees, each on rows that are drawn, as a model.",
         .parameters = std::string(kData) +
                       "numClasses: the classes are 0 to numClasses - 1; times numBins at most 10^7\n" +
                       optionsText(32, true) + jobs,
         .nulls = "There must be none.",
         .errors = kErrors,
         .complexity = kCost,
         .source = kForest,
         .example = "predict(randomForestClassifier(" + table + ", 2, randomSeed=1), table(1 8 as x)) -> [0,1]"},
        draws);
    registry.add(
        "randomForestRegressor(ds, yColName, xColNames, [maxFeatures=0], [numTrees=10], [numBins=32], [maxDepth=32], "
        "[minImpurityDecrease=0.0], [numJobs=-1], [randomSeed])",
        forestRegressorKernel,
        {.summary = "A forest of regression trees, each on rows that are drawn, as a model.",
         .parameters = std::string(kData) + optionsText(32, true) + jobs,
         .nulls = "There must be none.",
         .errors = kErrors,
         .complexity = kCost,
         .source = kForest,
         .example = "predict(randomForestRegressor(" + table + ", randomSeed=1), table(1 8 as x)) -> [0,1]"},
        draws);
    registry.add(
        "adaBoostClassifier(ds, yColName, xColNames, numClasses, [maxFeatures=0], [numTrees=10], [numBins=32], "
        "[maxDepth=10], [minImpurityDecrease=0.0], [learningRate=0.1], [algorithm='SAMME.R'], [randomSeed])",
        boostClassifierKernel,
        {.summary = "Classification trees, each on rows that those before it got wrong, as a model.",
         .parameters = std::string(kData) +
                       "numClasses: the classes are 0 to numClasses - 1; times numBins at most 10^7\n" +
                       optionsText(10, false) +
                       "learningRate: how much a tree changes the weights of rows, above 0\n"
                       "algorithm: SAMME.R (by the shares of the classes) or SAMME (by the class)\n" +
                       seed,
         .nulls = "There must be none.",
         .errors = kErrors,
         .complexity = kCost,
         .source = "Zhu, Zou, Rosset, Hastie 2009",
         .example = "predict(adaBoostClassifier(" + table + ", 2, randomSeed=1), table(1 8 as x)) -> [0,1]"},
        draws);
    registry.add(
        "adaBoostRegressor(ds, yColName, xColNames, [maxFeatures=0], [numTrees=10], [numBins=32], [maxDepth=10], "
        "[minImpurityDecrease=0.0], [learningRate=0.1], [loss='linear'], [randomSeed])",
        boostRegressorKernel,
        {.summary = "Regression trees, each on rows drawn by the errors of those before it, as a model.",
         .parameters = std::string(kData) + optionsText(10, false) +
                       "learningRate: how much a tree changes the weights of rows, above 0\n"
                       "loss: linear, square or exponential\n" +
                       seed,
         .nulls = "There must be none.",
         .errors = kErrors,
         .complexity = kCost,
         .source = "Drucker 1997",
         .example = "predict(adaBoostRegressor(" + table + ", randomSeed=1), table(1 8 as x)) -> [0,1]"},
        draws);
    addPredict(registry, "randomForestClassifierPredict(model, X)", forestClassesKernel, "randomForestClassifier",
               "randomForestClassifierPredict(randomForestClassifier(" + table +
                   ", 2, randomSeed=1), table(1 8 as x)) -> [0,1]");
    addPredict(
        registry, "randomForestRegressorPredict(model, X)", forestValuesKernel, "randomForestRegressor",
        "randomForestRegressorPredict(randomForestRegressor(" + table + ", randomSeed=1), table(1 8 as x)) -> [0,1]");
    addPredict(
        registry, "adaBoostClassifierPredict(model, X)", boostClassesKernel, "adaBoostClassifier",
        "adaBoostClassifierPredict(adaBoostClassifier(" + table + ", 2, randomSeed=1), table(1 8 as x)) -> [0,1]");
    addPredict(registry, "adaBoostRegressorPredict(model, X)", boostValuesKernel, "adaBoostRegressor",
               "adaBoostRegressorPredict(adaBoostRegressor(" + table + ", randomSeed=1), table(1 8 as x)) -> [0,1]");
}

}  // namespace pelorus
