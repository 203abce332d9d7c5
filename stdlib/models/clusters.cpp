// kmeans and gmm: groups of rows that lie together.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/value/print.h"
#include "stdlib/matrix/dense_solve.h"
#include "stdlib/models/cross_products.h"
#include "stdlib/models/nearest_centers.h"
#include "stdlib/models/training.h"
#include "stdlib/random.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

using Centers = std::vector<std::vector<double>>;

size_t below(std::mt19937_64& random, size_t count) {
    return static_cast<size_t>(random() % count);
}

double squaredDistance(const NumberColumns& x, size_t row, const std::vector<double>& center) {
    double sum = 0;
    for (size_t c = 0; c < center.size(); ++c) {
        const double away = x.columns[c][row] - center[c];
        sum += away * away;
    }
    return sum;
}

// Draws k different rows.
Centers drawnRows(const NumberColumns& x, size_t k, std::mt19937_64& random) {
    std::vector<size_t> rows(x.rows);
    for (size_t i = 0; i < x.rows; ++i) rows[i] = i;
    Centers centers;
    for (size_t i = 0; i < k; ++i) {
        std::swap(rows[i], rows[i + below(random, x.rows - i)]);
        centers.push_back(x.row(rows[i]));
    }
    return centers;
}

// Draws rows with a chance that grows with the square of the distance from those drawn already.
Centers spreadRows(const NumberColumns& x, size_t k, std::mt19937_64& random) {
    Centers centers = {x.row(below(random, x.rows))};
    std::vector<double> nearest(x.rows, std::numeric_limits<double>::infinity());
    while (centers.size() < k) {
        checkCancelled();
        double sum = 0;
        for (size_t i = 0; i < x.rows; ++i) {
            nearest[i] = std::min(nearest[i], squaredDistance(x, i, centers.back()));
            sum += nearest[i];
        }
        double left = sum * unitOf(random);
        size_t chosen = 0;
        for (size_t i = 0; i < x.rows; ++i) {
            if (nearest[i] > 0) chosen = i;
            if ((left -= nearest[i]) < 0) break;
        }
        centers.push_back(x.row(chosen));
    }
    return centers;
}

// Assigns each row to its nearest center, then moves each center to the mean of its rows; one without rows stays.
// Returns false, and moves none, when no label changed.
bool assignAndMove(const NumberColumns& x, std::vector<int32_t>& labels, Centers& centers) {
    const size_t d = x.width(), width = centers.size() * (d + 1);
    const NearestCenters search(centers);
    // In one pass: the sums of a center's columns, its rows, and in the last cell the labels that changed.
    const std::vector<double> sums = summedOverBlocks(x.rows, width + 1, [&](size_t begin, size_t end, double* part) {
        std::vector<int32_t> nearest(end - begin);
        search.find(x.columns, begin, end, nearest.data());
        for (size_t i = begin; i < end; ++i) {
            const int32_t label = nearest[i - begin];
            part[width] += labels[i] != label;
            labels[i] = label;
            ++part[static_cast<size_t>(label) * (d + 1) + d];
        }
        for (size_t c = 0; c < d; ++c) {
            for (size_t i = begin; i < end; ++i)
                part[static_cast<size_t>(nearest[i - begin]) * (d + 1) + c] += x.columns[c][i];
        }
    });
    if (sums[width] == 0) return false;
    for (size_t k = 0; k < centers.size(); ++k) {
        const double count = sums[k * (d + 1) + d];
        for (size_t c = 0; c < d && count > 0; ++c) centers[k][c] = sums[k * (d + 1) + c] / count;
    }
    return true;
}

Centers firstCenters(Arguments a, const NumberColumns& x, size_t k) {
    if (isGiven(a, 4) && !a[4].isString()) {
        const NumberMatrix given = matrixArgument(a, 4, "init", true);
        if (given.rows != k || given.columns != x.width())
            throw UserError(
                4, fmt::format("init must be {} by {}, but is {} by {}.", k, x.width(), given.rows, given.columns));
        Centers centers(k);
        for (size_t i = 0; i < k; ++i) {
            for (size_t c = 0; c < x.width(); ++c) centers[i].push_back(given.at(i, c));
        }
        return centers;
    }
    const std::string init = stringArgument(a, 4, "init", "random");
    std::mt19937_64 random = seededGenerator(a, 3, "randomSeed");
    if (init == "random") return drawnRows(x, k, random);
    if (init == "k-means++" || init == "kmeans++") return spreadRows(x, k, random);
    refuseArgument(4, "init", "random, k-means++ or a matrix", a[4]);
}

Value centersValue(const Centers& centers) {
    std::vector<double> cells;
    for (size_t c = 0; c < centers[0].size(); ++c) {
        for (const auto& center : centers) cells.push_back(center[c]);
    }
    return matrixOf(cells, centers.size(), centers[0].size());
}

// kmeans(X, k, [maxIter], [randomSeed], [init])
Value kmeansKernel(Context& context, Arguments a) {
    const NumberColumns x = columnsArgument(a, 0, "X", NullCells::Refused);
    const int64_t k = integerArgument(a, 1, "k"), most = integerArgument(a, 2, "maxIter", 300);
    if (k < 1 || k > static_cast<int64_t>(x.rows)) refuseArgument(1, "k", "from 1 to the rows of X", a[1]);
    if (most < 1) refuseArgument(2, "maxIter", "1 or more", a[2]);
    Centers centers = firstCenters(a, x, static_cast<size_t>(k));
    std::vector<int32_t> labels(x.rows, -1);
    for (int64_t i = 0; i < most; ++i) {
        context.checkCancelled();
        if (!assignAndMove(x, labels, centers)) break;
    }
    for (int32_t& label : labels) ++label;
    const Ref<Dictionary> model = makeModel("KMeans", "kmeansPredict");
    addMember(*model, "centers", centersValue(centers));
    addMember(*model, "labels", Value::of(Vector::of(Type::Int, labels)));
    addMember(*model, "xColNames", namesValue(x.names));
    return Value::of(model);
}

// kmeansPredict(model, X)
Value kmeansPredictKernel(Context&, Arguments a) {
    const NumberMatrix held = modelMatrix(a, "centers");
    const NumberColumns x = factorsToPredict(a, NullCells::Refused);
    if (held.columns != x.width() || held.rows == 0)
        throw UserError(0, "The members of the model do not fit together.");
    Centers centers(held.rows);
    for (size_t i = 0; i < held.rows; ++i) {
        for (size_t c = 0; c < held.columns; ++c) centers[i].push_back(held.at(i, c));
    }
    std::vector<int32_t> labels(x.rows);
    const NearestCenters search(centers);
    constexpr size_t kBlock = 8192;
    parallelFor(static_cast<int64_t>((x.rows + kBlock - 1) / kBlock), [&](int64_t b) {
        const size_t begin = static_cast<size_t>(b) * kBlock;
        search.find(x.columns, begin, std::min(x.rows, begin + kBlock), labels.data() + begin);
    });
    for (int32_t& label : labels) ++label;
    return Value::of(Vector::of(Type::Int, labels));
}

// One part of a mixture of normal distributions: its share, mean and covariance.
struct NormalPart {
    double share;
    std::vector<double> mean, covariance;
};

// Returns the logarithm of the density of each row, with the share.
std::vector<double> logDensities(const NumberColumns& x, const NormalPart& part) {
    const size_t d = x.width();
    const std::vector<double> triangle = choleskyFactor(part.covariance, d);
    if (triangle.empty())
        throw UserError(0, "A covariance became singular.", "Take a smaller k, or give mean and sigma.");
    double constant = std::log(part.share) - static_cast<double>(d) / 2 * std::log(2 * std::numbers::pi);
    for (size_t c = 0; c < d; ++c) constant -= std::log(triangle[c * d + c]);
    std::vector<double> result(x.rows);
    std::vector<double> z(d);
    for (size_t i = 0; i < x.rows; ++i) {
        if (i % 256 == 0) checkCancelled();
        for (size_t c = 0; c < d; ++c) z[c] = x.columns[c][i] - part.mean[c];
        solveLower(triangle, d, z.data());
        double squares = 0;
        for (const double v : z) squares += v * v;
        result[i] = constant - squares / 2;
    }
    return result;
}

// Sets the share, mean and covariance of a part from the weights of the rows.
void refit(const NumberColumns& x, const std::vector<double>& weights, NormalPart& part) {
    const size_t d = x.width();
    double sum = 0;
    for (const double w : weights) sum += w;
    part.share = sum / static_cast<double>(x.rows);
    for (size_t c = 0; c < d; ++c) {
        part.mean[c] = 0;
        for (size_t i = 0; i < x.rows; ++i) part.mean[c] += weights[i] * x.columns[c][i] / sum;
    }
    for (size_t c = 0; c < d; ++c) {
        for (size_t r = 0; r < d; ++r) {
            checkCancelled();
            double products = 0;
            for (size_t i = 0; i < x.rows; ++i)
                products += weights[i] * (x.columns[c][i] - part.mean[c]) * (x.columns[r][i] - part.mean[r]);
            part.covariance[c * d + r] = products / sum + (r == c ? 1e-12 : 0);
        }
    }
}

// The observations of gmm: a vector, a table by rows, a matrix by columns.
NumberColumns observations(Arguments a) {
    const NumberColumns given = columnsArgument(a, 0, "X", NullCells::Refused);
    if (!a[0].isMatrix()) return given;
    NumberColumns turned;
    turned.rows = given.width();
    for (size_t r = 0; r < given.rows; ++r) {
        turned.columns.push_back(given.row(r));
        turned.names.push_back(fmt::format("col{}", r));
    }
    return turned;
}

std::vector<NormalPart> firstParts(Arguments a, const NumberColumns& x, size_t k) {
    const size_t d = x.width();
    std::mt19937_64 random = seededGenerator(a, 4, "randomSeed");
    Centers means;
    if (isGiven(a, 5)) {
        const NumberMatrix given = matrixArgument(a, 5, "mean", a[5].isTypedVector());
        if (given.columns != k || given.rows != d)
            throw UserError(5, fmt::format("mean must be {} by {}, but is {} by {}.", d, k, given.rows, given.columns));
        for (size_t i = 0; i < k; ++i) {
            std::vector<double>& mean = means.emplace_back();
            for (size_t c = 0; c < d; ++c) mean.push_back(given.at(c, i));
        }
    } else {
        means = drawnRows(x, k, random);
    }
    std::vector<NormalPart> parts;
    for (size_t i = 0; i < k; ++i) {
        std::vector<double> covariance(d * d, 0.0);
        for (size_t c = 0; c < d; ++c) covariance[c * d + c] = 1;
        if (isGiven(a, 6)) {
            if (a[6].size() != static_cast<int64_t>(k) || a[6].isMatrix() || a[6].isTable())
                refuseArgument(6, "sigma", fmt::format("{} variances or matrices", k), a[6]);
            std::vector<Value> own = {a[6].at(static_cast<int64_t>(i))};
            if (own[0].isScalar()) {
                covariance = {realArgument(own, 0, "sigma")};
            } else {
                covariance = matrixArgument(own, 0, "sigma", false).cells;
            }
            if (covariance.size() != d * d) refuseArgument(6, "sigma", fmt::format("matrices of {} by {}", d, d), a[6]);
        }
        parts.push_back({1 / static_cast<double>(k), means[i], covariance});
    }
    return parts;
}

// gmm(X, k, [maxIter], [tolerance], [randomSeed], [mean], [sigma])
Value gmmKernel(Context& context, Arguments a) {
    const NumberColumns x = observations(a);
    const int64_t k = integerArgument(a, 1, "k"), most = integerArgument(a, 2, "maxIter", 300);
    const double tolerance = realArgument(a, 3, "tolerance", 1e-4);
    if (k < 1 || k > static_cast<int64_t>(x.rows)) refuseArgument(1, "k", "from 1 to the observations", a[1]);
    if (most < 1) refuseArgument(2, "maxIter", "1 or more", a[2]);
    if (!(tolerance >= 0)) refuseArgument(3, "tolerance", "0 or more", a[3]);
    std::vector<NormalPart> parts = firstParts(a, x, static_cast<size_t>(k));
    double before = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < most; ++i) {
        context.checkCancelled();
        std::vector<std::vector<double>> logs;
        for (const NormalPart& part : parts) logs.push_back(logDensities(x, part));
        double likelihood = 0;
        for (size_t r = 0; r < x.rows; ++r) {
            double top = -std::numeric_limits<double>::infinity(), sum = 0;
            for (const auto& log : logs) top = std::max(top, log[r]);
            for (const auto& log : logs) sum += std::exp(log[r] - top);
            likelihood += top + std::log(sum);
            for (auto& log : logs) log[r] = std::exp(log[r] - top) / sum;
        }
        for (size_t j = 0; j < parts.size(); ++j) refit(x, logs[j], parts[j]);
        if (std::abs(likelihood - before) < tolerance) break;
        before = likelihood;
    }
    const size_t d = x.width();
    std::vector<double> shares, means, variances;
    auto matrices = makeRef<Tuple>();
    std::vector<double> columns;
    for (const NormalPart& part : parts) {
        shares.push_back(part.share);
        means.push_back(part.mean[0]);
        variances.push_back(part.covariance[0]);
        columns.insert(columns.end(), part.mean.begin(), part.mean.end());
        matrices->elements.push_back(matrixOf(part.covariance, d, d));
    }
    auto model = makeRef<Dictionary>(Type::String, Type::Any, true);
    addMember(*model, "modelName", Value::ofString("Gaussian Mixture Model"));
    addMember(*model, "prior", realsOf(shares));
    addMember(*model, "mean", d == 1 ? realsOf(means) : matrixOf(columns, d, parts.size()));
    addMember(*model, "sigma", d == 1 ? realsOf(variances) : Value::of(std::move(matrices)));
    return Value::of(std::move(model));
}

}  // namespace

void registerClusters(FunctionRegistry& registry) {
    // Without a seed the first centers are drawn.
    const Declaration draws{.effect = Effect::Volatile};
    registry.add("kmeans(X, k, [maxIter=300], [randomSeed], [init='random'])", kmeansKernel,
                 {.summary = "k clusters of rows, each around its mean: a model with centers (a matrix with a row for "
                             "each) and labels (from 1, as INT).",
                  .parameters = "X: a table, matrix, vector or tuple of vectors\nk: how many, from 1 to the rows\n"
                                "maxIter: from 1\nrandomSeed: an integer that makes the result repeatable\n"
                                "init: random (rows), k-means++ (rows far from each other), or a matrix of centers",
                  .nulls = "There must be none.",
                  .errors = "X is not numeric; k is out of its range; init has another shape.",
                  .complexity = "O(iterations · rows · k · columns)",
                  .source = "Lloyd 1982; Arthur, Vassilvitskii 2007",
                  .example = "kmeans(table(0.0 1 8 9 as x), 2, init=matrix([0.0, 9]))[`labels] -> [1,1,2,2]"},
                 draws);
    registry.add(
        "kmeansPredict(model, X)", kmeansPredictKernel,
        {.summary = "The clusters, from 1, that rows belong to by a model of kmeans, as INT.",
         .parameters = "model: the dictionary\nX: a table with the columns that the model names, or as many "
                       "columns in a matrix, tuple or vector",
         .nulls = "X must hold none.",
         .errors = "X lacks a column; the model lacks a member.",
         .complexity = "O(rows · clusters · columns)",
         .example = "kmeans(table(0.0 1 8 9 as x), 2, init=matrix([0.0, 9])).kmeansPredict(table(2 7 as x)) -> "
                    "[1,2]"
                    "\nkmeansPredict(kmeans(table(0.0 1 8 9 as x), 2, init=matrix([0.0, 9])), table(2 7 as x))"});
    registry.add(
        "gmm(X, k, [maxIter=300], [tolerance=1e-4], [randomSeed], [mean], [sigma])", gmmKernel,
        {.summary = "A mixture of k normal distributions, by expectation and maximization: a dictionary of "
                    "modelName, prior (the shares), mean (a matrix with a column for each) and sigma (their "
                    "variances, or a tuple of covariances).",
         .parameters = "X: a vector, a table with a row for each observation, or a matrix with a column for "
                       "each\nk: how many, from 1\nmaxIter: from 1\n"
                       "tolerance: a change of the log likelihood below it ends the iterations\n"
                       "randomSeed: an integer that makes the result repeatable\n"
                       "mean: the first means: a vector, or a matrix with a column for each; else observations "
                       "are drawn\nsigma: the first variances, or a tuple of covariances; else 1",
         .nulls = "There must be none.",
         .errors = "A covariance becomes singular; shapes do not fit.",
         .complexity = "O(iterations · observations · k · variables²)",
         .source = "Dempster, Laird, Rubin 1977",
         .example = "gmm(1.0 2 3 4, 1)[`mean] -> [2.5]"},
        draws);
}

}  // namespace pelorus
