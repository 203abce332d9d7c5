// Densities of samples: gaussianKde and gaussianKdePredict, histogram2d; and multivariateNormal, which draws samples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/interpolation/interpolation_arguments.h"
#include "stdlib/matrix/dense_solve.h"
#include "stdlib/number_columns.h"
#include "stdlib/random.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

// Returns the lower triangle L with A = L L'; throws UserError, naming the argument, when A is not positive definite.
std::vector<double> triangleOf(std::vector<double> a, size_t size, size_t argument, std::string_view what) {
    std::vector<double> triangle = choleskyFactor(std::move(a), size);
    if (triangle.empty())
        throw UserError(static_cast<int>(argument), fmt::format("{} is not positive definite.", what));
    return triangle;
}

double bandwidthArgument(Context& context, Arguments a, double effective, double dimensions) {
    const std::string_view usual = "scott";
    if (isGiven(a, 2) && a[2].isFunction()) {
        std::vector<Value> result = {callWith(a[2].function(), context, {a[0]})};
        const double width = realArgument(result, 0, "The result of bwMethod");
        if (!(width > 0)) throw UserError(2, "bwMethod must give a number above 0.");
        return width;
    }
    if (isGiven(a, 2) && a[2].isNumber()) {
        const double width = realArgument(a, 2, "bwMethod");
        if (!(width > 0)) refuseArgument(2, "bwMethod", "above 0", a[2]);
        return width;
    }
    const std::string method = stringArgument(a, 2, "bwMethod", usual);
    if (method == "scott") return std::pow(effective, -1 / (dimensions + 4));
    if (method == "silverman") return std::pow(effective * (dimensions + 2) / 4, -1 / (dimensions + 4));
    refuseArgument(2, "bwMethod", "scott, silverman, a number or a function", a[2]);
}

// gaussianKde(X, [weights], [bwMethod])
Value gaussianKdeKernel(Context& context, Arguments a) {
    const NumberColumns x = columnsArgument(a, 0, "X", NullCells::Refused);
    const size_t d = x.width(), n = x.rows;
    if (n <= d) throw UserError(0, fmt::format("X must have more rows than columns, but has {} and {}.", n, d));
    std::vector<double> weights(n, 1.0 / static_cast<double>(n));
    if (isGiven(a, 1)) {
        weights = columnArgument(a, 1, "weights", NullCells::Refused);
        double sum = 0;
        for (const double w : weights) sum += w >= 0 ? w : std::numeric_limits<double>::quiet_NaN();
        if (weights.size() != n || !(sum > 0))
            refuseArgument(1, "weights", fmt::format("{} numbers of at least 0, not all 0", n), a[1]);
        for (double& w : weights) w /= sum;
    }
    double squares = 0;
    for (const double w : weights) squares += w * w;
    const double width = bandwidthArgument(context, a, 1 / squares, static_cast<double>(d));
    std::vector<double> means(d, 0.0), covariance(d * d, 0.0);
    for (size_t c = 0; c < d; ++c) {
        for (size_t i = 0; i < n; ++i) means[c] += weights[i] * x.columns[c][i];
    }
    for (size_t c = 0; c < d; ++c) {
        for (size_t r = 0; r < d; ++r) {
            double sum = 0;
            for (size_t i = 0; i < n; ++i)
                sum += weights[i] * (x.columns[c][i] - means[c]) * (x.columns[r][i] - means[r]);
            covariance[c * d + r] = sum / (1 - squares) * width * width;
        }
    }
    const Ref<Dictionary> model = makeModel("gaussianKde", "gaussianKdePredict");
    model->set(Value::ofString("X"), x.asMatrix());
    model->set(Value::ofString("cov"), matrixOf(triangleOf(covariance, d, 0, "The covariance of X"), d, d));
    model->set(Value::ofString("weights"), Value::of(Vector::of(Type::Double, weights)));
    model->set(Value::ofString("bandwidth"), Value::ofDouble(width));
    return Value::of(model);
}

// gaussianKdePredict(model, X)
Value gaussianKdePredictKernel(Context&, Arguments a) {
    std::vector<Value> members = {modelMember(a, "X"), modelMember(a, "cov")};
    const NumberColumns x = columnsArgument(members, 0, "X of the model", NullCells::Refused);
    const NumberMatrix triangle = matrixArgument(members, 1, "cov of the model", false);
    const std::vector<double> weights = modelNumbers(a, "weights");
    const NumberColumns points = columnsArgument(a, 1, "X", NullCells::Refused);
    const size_t d = x.width();
    if (triangle.rows != d || triangle.columns != d || weights.size() != x.rows)
        throw UserError(0, "The members of the model do not fit together.");
    if (points.width() != d)
        throw UserError(1, fmt::format("X has {} columns, but the model has {}.", points.width(), d));
    double scale = std::pow(2 * std::numbers::pi, static_cast<double>(d) / 2);
    for (size_t c = 0; c < d; ++c) {
        if (!(triangle.at(c, c) > 0)) throw UserError(0, "The member cov of the model is no triangle of a covariance.");
        scale *= triangle.at(c, c);
    }
    std::vector<std::vector<double>> samples;
    for (size_t i = 0; i < x.rows; ++i) {
        samples.push_back(x.row(i));
        solveLower(triangle.cells, d, samples.back().data());
    }
    std::vector<double> densities;
    for (size_t p = 0; p < points.rows; ++p) {
        checkCancelled();  // a point takes as long as there are samples
        std::vector<double> at = points.row(p);
        solveLower(triangle.cells, d, at.data());
        double sum = 0;
        for (size_t i = 0; i < samples.size(); ++i) {
            double distance = 0;
            for (size_t c = 0; c < d; ++c) distance += (at[c] - samples[i][c]) * (at[c] - samples[i][c]);
            sum += weights[i] * std::exp(-distance / 2);
        }
        densities.push_back(sum / scale);
    }
    return Value::of(Vector::of(Type::Double, densities));
}

// One axis of a histogram: edges that ascend.
struct Axis {
    std::vector<double> edges;

    // Returns the bin of a number, or -1 outside. The last bin includes its upper edge.
    int64_t binOf(double x) const {
        if (!(x >= edges.front() && x <= edges.back())) return -1;
        const auto behind = std::upper_bound(edges.begin(), edges.end(), x) - edges.begin();
        return std::min<int64_t>(behind, static_cast<int64_t>(edges.size()) - 1) - 1;
    }
    size_t bins() const { return edges.size() - 1; }
};

Axis axisOf(const Value& bins, const std::vector<double>& data, double low, double high) {
    constexpr double kMostBins = 1e6;
    std::vector<Value> one = {bins};
    if (!bins.isScalar()) {
        Axis axis{columnArgument(one, 0, "bins", NullCells::Refused)};
        const bool ascends = std::ranges::adjacent_find(axis.edges, std::greater_equal<>()) == axis.edges.end();
        if (axis.edges.size() < 2 || !ascends) refuseArgument(2, "bins", "two edges or more, which ascend", bins);
        return axis;
    }
    const double count = realArgument(one, 0, "bins");
    if (!(count >= 1 && count <= kMostBins) || count != std::floor(count))
        refuseArgument(2, "bins", "a whole number from 1 to 10^6", bins);
    if (isNull(low)) {
        low = data.empty() ? 0 : std::ranges::min(data);
        high = data.empty() ? 1 : std::ranges::max(data);
    }
    if (low == high) {
        low -= 0.5;
        high += 0.5;
    }
    if (!std::isfinite(high - low)) throw UserError(0, "X, Y and range must be finite.");
    Axis axis;
    for (int64_t i = 0; i <= static_cast<int64_t>(count); ++i)
        axis.edges.push_back(i == static_cast<int64_t>(count) ? high
                                                              : low + (high - low) * static_cast<double>(i) / count);
    return axis;
}

// histogram2d(X, Y, [bins], [range], [density], [weights])
Value histogram2dKernel(Context&, Arguments a) {
    const std::vector<double> x = columnArgument(a, 0, "X", NullCells::Refused),
                              y = columnArgument(a, 1, "Y", NullCells::Refused);
    if (x.size() != y.size())
        throw UserError(1, fmt::format("X and Y differ in length: {} and {}.", x.size(), y.size()));
    const Value usual = Value::ofInt(10), &bins = isGiven(a, 2) ? a[2] : usual;
    const bool isTwo = bins.isTuple();
    if (isTwo && bins.size() != 2) refuseArgument(2, "bins", "a number, a vector, or a tuple of two of them", bins);
    double lowX = null<double>, highX = null<double>, lowY = null<double>, highY = null<double>;
    if (isGiven(a, 3)) {
        const NumberColumns range = columnsArgument(a, 3, "range", NullCells::Refused);
        if (range.width() != 2 || range.rows != 2) refuseArgument(3, "range", "two vectors of two numbers", a[3]);
        const bool isMatrix = a[3].isMatrix();  // a row for each axis
        lowX = range.columns[0][0];
        highX = isMatrix ? range.columns[1][0] : range.columns[0][1];
        lowY = isMatrix ? range.columns[0][1] : range.columns[1][0];
        highY = range.columns[1][1];
        if (!(lowX <= highX && lowY <= highY)) refuseArgument(3, "range", "the smaller number first", a[3]);
    }
    const Axis across = axisOf(isTwo ? bins.at(0) : bins, x, lowX, highX),
               up = axisOf(isTwo ? bins.at(1) : bins, y, lowY, highY);
    if (across.bins() * up.bins() > 100000000) refuseArgument(2, "bins", "at most 10^8 cells", bins);
    std::vector<double> weights;
    if (isGiven(a, 5)) {
        weights = columnArgument(a, 5, "weights", NullCells::Refused);
        if (weights.size() != x.size())
            throw UserError(5, fmt::format("weights has {} elements for {} points.", weights.size(), x.size()));
    }
    std::vector<double> cells(across.bins() * up.bins(), 0.0);
    double total = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const int64_t r = across.binOf(x[i]), c = up.binOf(y[i]);
        if (r < 0 || c < 0) continue;
        const double weight = weights.empty() ? 1 : weights[i];
        cells[static_cast<size_t>(c) * across.bins() + static_cast<size_t>(r)] += weight;
        total += weight;
    }
    if (flagArgument(a, 4, "density", false)) {
        for (size_t c = 0; c < up.bins(); ++c) {
            for (size_t r = 0; r < across.bins(); ++r)
                cells[c * across.bins() + r] /=
                    total * (across.edges[r + 1] - across.edges[r]) * (up.edges[c + 1] - up.edges[c]);
        }
    }
    auto result = makeRef<Dictionary>(Type::String, Type::Any, true);
    result->set(Value::ofString("H"), matrixOf(cells, across.bins(), up.bins()));
    result->set(Value::ofString("xedges"), realsOf(across.edges));
    result->set(Value::ofString("yedges"), realsOf(up.edges));
    return Value::of(std::move(result));
}

// multivariateNormal(mean, covar, count, [sampleAsRow])
Value multivariateNormalKernel(Context&, Arguments a) {
    constexpr int64_t kMostNumbers = int64_t{1} << 31;
    const std::vector<double> mean = columnArgument(a, 0, "mean", NullCells::Refused);
    const NumberMatrix covariance = matrixArgument(a, 1, "covar", false);
    const size_t d = mean.size();
    if (d == 0 || covariance.rows != d || covariance.columns != d)
        throw UserError(
            1, fmt::format("covar must be {} by {}, but is {} by {}.", d, d, covariance.rows, covariance.columns));
    const int64_t count = integerArgument(a, 2, "count");
    if (count < 1 || count > kMostNumbers / static_cast<int64_t>(d))
        refuseArgument(2, "count", fmt::format("from 1 to {}", kMostNumbers / static_cast<int64_t>(d)), a[2]);
    const bool asRow = flagArgument(a, 3, "sampleAsRow", true);
    const std::vector<double> triangle = triangleOf(covariance.cells, d, 1, "covar");
    const auto n = static_cast<size_t>(count);
    Ref<Vector> cells = Vector::make(Type::Double, count * static_cast<int64_t>(d));
    double* out = cells->mutableData<double>();
    std::normal_distribution<double> unit;
    std::vector<double> noise(d);
    for (size_t i = 0; i < n; ++i) {
        if (i % 4096 == 0) checkCancelled();
        for (double& z : noise) z = unit(randomGenerator());
        for (size_t r = 0; r < d; ++r) {
            double x = mean[r];
            for (size_t c = 0; c <= r; ++c) x += triangle[c * d + r] * noise[c];
            out[asRow ? r * n + i : i * d + r] = x;
        }
    }
    const auto rows = asRow ? count : static_cast<int64_t>(d), columns = asRow ? static_cast<int64_t>(d) : count;
    return Value::of(makeRef<Matrix>(std::move(cells), rows, columns));
}

}  // namespace

void registerDensities(FunctionRegistry& registry) {
    registry.add(
        "gaussianKde(X, [weights], [bwMethod='scott'])", gaussianKdeKernel,
        {.summary = "The density of a sample by Gaussian kernels, as a model: a dictionary with X, cov (the Cholesky "
                    "triangle of the kernels' covariance), weights, bandwidth and predict.",
         .parameters = "X: a vector, matrix, tuple of vectors or table, with a row for each point and more rows than "
                       "columns\nweights: a number of at least 0 for each row\n"
                       "bwMethod: scott, silverman, the bandwidth as a number, or a function of X that gives it",
         .nulls = "X and weights must hold none.",
         .errors = "The covariance of X is singular; shapes do not fit.",
         .complexity = "O(rows · columns²)",
         .source = "Scott 1992; Silverman 1986",
         .example = "gaussianKde(matrix(0.0 1 2 3, 1.0 0 2 5))[`bandwidth].round(4) -> 0.7937"});
    registry.add("gaussianKdePredict(model, X)", gaussianKdePredictKernel,
                 {.summary = "The density at points, by a model that gaussianKde gave, as DOUBLE.",
                  .parameters = "model: the dictionary\nX: points, with as many columns as those of the model",
                  .nulls = "X must hold none.",
                  .errors = "X has other columns; the model lacks a member.",
                  .complexity = "O(points · rows of the model · columns)",
                  .example = "round(gaussianKde(0.0 1 2 3).gaussianKdePredict([1.5]), 4) -> [0.2419]"
                             "\ngaussianKdePredict(gaussianKde(0.0 1 2 3), [1.5])"});
    registry.add(
        "histogram2d(X, Y, [bins=10], [range], [density=false], [weights])", histogram2dKernel,
        {.summary = "The points in each cell of a grid: a dictionary of H (a matrix with a row for each bin of X), "
                    "xedges and yedges.",
         .parameters =
             "X, Y: vectors of numbers\nbins: how many bins, or their edges, which ascend; or a tuple of that "
             "for X and for Y\nrange: two vectors of the least and the most; points outside do not count\n"
             "density: shares of all points by area instead of counts\nweights: a number for each point",
         .nulls = "There must be none.",
         .errors = "X and Y differ in length; bins or range is none; there are more than 10^8 cells.",
         .complexity = "O(points · log bins + cells)",
         .example = "flatten(histogram2d(0.1 0.2 0.9, 0.2 0.8 0.9, 2)[`H]) -> [1,0,1,1]"});
    const Declaration draws{.effect = Effect::Volatile};
    registry.add(
        "multivariateNormal(mean, covar, count, [sampleAsRow=true])", multivariateNormalKernel,
        {.summary = "Random points of a normal distribution of several variables, as a matrix.",
         .parameters = "mean: a vector of numbers\ncovar: their covariance, a symmetric, positive definite "
                       "matrix\ncount: how many points, from 1\nsampleAsRow: a row for each point, else a column",
         .nulls = "There must be none.",
         .errors = "covar is not positive definite, or has another size.",
         .complexity = "O(count · variables²)",
         .source = "Cholesky's triangle of the covariance times independent normal numbers",
         .example = "shape(multivariateNormal([2, 3], matrix([1.0, 0.5], [0.5, 1]), 5)) -> 5 : 2"},
        draws);
    registry.alias("randMultivariateNormal", "multivariateNormal");
}

}  // namespace pelorus
