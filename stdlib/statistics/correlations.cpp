// Aggregates of two columns other than covariance: rank correlations, distances, sums where both are present.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>

#include "common/thread/cancellable_sort.h"
#include "runtime/kernel/forms/aggregate_impl.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/table/table.h"
#include "runtime/value/key_index.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/moments.h"

namespace pelorus {

namespace {

struct Pairs {
    std::vector<double> x, y;
};

std::vector<double> numbersOf(const Value& v, const char* name, int argument) {
    const Vector& elements = v.vector();
    if (!isNumeric(elements.type()) && !isTemporal(elements.type())) {
        throw UserError(argument,
                        fmt::format("{} must be numeric or temporal, but it is {}.", name, typeName(elements.type())));
    }
    std::vector<double> numbers(static_cast<size_t>(elements.size()));
    for (size_t i = 0; i < numbers.size(); ++i) {
        auto row = static_cast<int64_t>(i);
        numbers[i] = elements.isNullAt(row)        ? null<double>
                     : isTemporal(elements.type()) ? static_cast<double>(elements.asLong(row))
                                                   : elements.asDouble(row);
    }
    return numbers;
}

// Repeats a single value for each row of the other vectors. These have one length: aggregateForms has checked it.
void repeatItems(std::initializer_list<std::vector<double>*> columns) {
    size_t rows = 1;
    for (const auto* column : columns) {
        if (column->size() != 1) rows = column->size();
    }
    for (auto* column : columns) {
        if (column->size() == 1) column->resize(rows, column->front());
    }
}

// The rows in which neither is NULL.
Pairs validPairs(std::span<const Value> vectors) {
    std::vector<double> x = numbersOf(vectors[0], "X", 0), y = numbersOf(vectors[1], "Y", 1);
    repeatItems({&x, &y});
    Pairs pairs;
    for (size_t i = 0; i < x.size(); ++i) {
        if (isNull(x[i]) || isNull(y[i])) continue;
        pairs.x.push_back(x[i]);
        pairs.y.push_back(y[i]);
    }
    return pairs;
}

// Ranks from 1; equal values share the mean of theirs.
std::vector<double> meanRanks(const std::vector<double>& elements) {
    std::vector<size_t> order(elements.size());
    std::iota(order.begin(), order.end(), size_t{0});
    sortCancellably(order, [&](size_t a, size_t b) { return elements[a] < elements[b]; });
    std::vector<double> ranks(elements.size());
    for (size_t i = 0; i < order.size();) {
        size_t end = i + 1;
        while (end < order.size() && elements[order[end]] == elements[order[i]]) ++end;
        for (size_t k = i; k < end; ++k) ranks[order[k]] = (static_cast<double>(i + end) + 1) / 2;
        i = end;
    }
    return ranks;
}

Value spearmanOf(std::span<const Value> vectors) {
    Pairs pairs = validPairs(vectors);
    std::vector<double> x = meanRanks(pairs.x), y = meanRanks(pairs.y);
    Correlation correlation;
    for (size_t i = 0; i < x.size(); ++i) correlation.add(x[i], y[i]);
    return Value::ofDouble(correlation.result());
}

// Sorts and counts how many neighbours had to change places.
int64_t inversions(std::vector<double>& elements, std::vector<double>& buffer, size_t begin, size_t end) {
    if (end - begin < 2) return 0;
    size_t middle = begin + (end - begin) / 2;
    int64_t count = inversions(elements, buffer, begin, middle) + inversions(elements, buffer, middle, end);
    size_t i = begin, j = middle, k = begin;
    while (i < middle || j < end) {
        if (j == end || (i < middle && elements[i] <= elements[j])) {
            buffer[k++] = elements[i++];
        } else {
            count += static_cast<int64_t>(middle - i);
            buffer[k++] = elements[j++];
        }
    }
    std::copy(buffer.begin() + static_cast<ptrdiff_t>(begin), buffer.begin() + static_cast<ptrdiff_t>(end),
              elements.begin() + static_cast<ptrdiff_t>(begin));
    return count;
}

// How many pairs of equal neighbours a sorted list has, by a predicate.
template <class Same>
int64_t tiedPairs(size_t count, Same same) {
    int64_t pairs = 0, run = 0;
    for (size_t i = 1; i < count; ++i) {
        run = same(i - 1, i) ? run + 1 : 0;
        pairs += run;
    }
    return pairs;
}

// Returns Kendall's tau-b in O(n log n) (Knight 1966).
Value kendallOf(std::span<const Value> vectors) {
    Pairs pairs = validPairs(vectors);
    size_t n = pairs.x.size();
    if (n < 2) return Value::nullOf(Type::Double);
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t{0});
    sortCancellably(order, [&](size_t a, size_t b) {
        return pairs.x[a] != pairs.x[b] ? pairs.x[a] < pairs.x[b] : pairs.y[a] < pairs.y[b];
    });
    auto sameX = [&](size_t a, size_t b) { return pairs.x[order[a]] == pairs.x[order[b]]; };
    int64_t tiedX = tiedPairs(n, sameX);
    int64_t tiedBoth =
        tiedPairs(n, [&](size_t a, size_t b) { return sameX(a, b) && pairs.y[order[a]] == pairs.y[order[b]]; });
    std::vector<double> y(n), buffer(n);
    for (size_t i = 0; i < n; ++i) y[i] = pairs.y[order[i]];
    int64_t discordant = inversions(y, buffer, 0, n);
    int64_t tiedY = tiedPairs(n, [&](size_t a, size_t b) { return y[a] == y[b]; });
    auto all = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
    double difference = all - static_cast<double>(tiedX + tiedY - tiedBoth + 2 * discordant);
    double scale = std::sqrt(all - static_cast<double>(tiedX)) * std::sqrt(all - static_cast<double>(tiedY));
    return Value::ofDouble(scale == 0 ? null<double> : difference / scale);
}

// Returns the mutual information in nats.
Value mutualInformationOf(std::span<const Value> vectors) {
    const Vector &x = vectors[0].vector(), &y = vectors[1].vector();
    KeyIndex xs(x.type()), ys(y.type()), both(Type::Long);
    std::vector<double> countX, countY, countBoth;
    auto add = [](std::vector<double>& counts, int64_t at) {
        if (static_cast<size_t>(at) == counts.size()) counts.push_back(0);
        ++counts[static_cast<size_t>(at)];
    };
    std::vector<std::pair<int64_t, int64_t>> cells;
    double n = 0;
    const int64_t rows = x.size() == 1 ? y.size() : x.size();
    for (int64_t i = 0; i < rows; ++i) {
        int64_t rowX = x.size() == 1 ? 0 : i, rowY = y.size() == 1 ? 0 : i;
        int64_t a = xs.insert(x.at(rowX)), b = ys.insert(y.at(rowY));
        add(countX, a);
        add(countY, b);
        int64_t cell = both.insert(Value::ofLong(a << 32 | b));
        if (static_cast<size_t>(cell) == cells.size()) cells.emplace_back(a, b);
        add(countBoth, cell);
        ++n;
    }
    CompensatedSum sum;
    for (size_t k = 0; k < cells.size(); ++k) {
        double expected = countX[static_cast<size_t>(cells[k].first)] * countY[static_cast<size_t>(cells[k].second)];
        sum.add(countBoth[k] / n * std::log(countBoth[k] * n / expected));
    }
    return Value::ofDouble(n == 0 ? null<double> : sum.value());
}

// The cosine of the angle between two vectors.
struct Cosine : ProductSums {
    double result() const {
        double scale = std::sqrt(xs.value()) * std::sqrt(ys.value());
        return count == 0 || scale == 0 ? null<double> : finiteOrNull(products.value() / scale);
    }
};

struct PairCount {
    int64_t count = 0;
    void add(double, double) { ++count; }
    void merge(const PairCount& other) { count += other.count; }
    int32_t result() const { return static_cast<int32_t>(count); }
};

// Sum of X, or of X times X, where Y is present; or of X * X * Y.
template <class T>
struct ContextSum {
    RealSum sum;
    void add(double x, double) { sum.add(x); }
    void merge(const ContextSum& other) { sum.merge(other.sum); }
    T result() const { return sum.count == 0 ? null<T> : static_cast<T>(sum.result()); }
};
struct ContextSquares {
    RealSum sum;
    void add(double x, double) { sum.add(x * x); }
    void merge(const ContextSquares& other) { sum.merge(other.sum); }
    double result() const { return sum.result(); }
};
struct WeightedSquares {
    RealSum sum;
    void add(double x, double y) { sum.add(x * x * y); }
    void merge(const WeightedSquares& other) { sum.merge(other.sum); }
    double result() const { return sum.result(); }
};

std::unique_ptr<GroupedState> makeContextSum(std::span<const Type> types) {
    if (isFloating(types[0]) || isDecimal(types[0]))
        return std::make_unique<GroupedStateOf<ContextSum<double>, double, 2>>(Type::Double);
    return std::make_unique<GroupedStateOf<ContextSum<int64_t>, double, 2>>(Type::Long);
}

// The distance of order p; NULL is the largest difference.
Value minkowskiKernel(Context&, Arguments a) {
    Ref<Vector> x = realsArgument(a, 0, "X"), y = realsArgument(a, 1, "Y");
    Ref<Vector> w = isGiven(a, 3) ? realsArgument(a, 3, "weights") : nullptr;
    if (x->size() != y->size() || (w && w->size() != x->size()))
        throw UserError("The vectors don't have the same length.");
    double p = a[2].isVoid() || a[2].isNull() ? INFINITY : realArgument(a, 2, "p");
    if (!(p > 0)) refuseArgument(2, "p", "above 0", a[2]);
    double total = 0;
    for (int64_t i = 0; i < x->size(); ++i) {
        double u = x->data<double>()[i], v = y->data<double>()[i], weight = w ? w->data<double>()[i] : 1;
        if (isNull(u) || isNull(v) || isNull(weight)) continue;
        if (weight < 0) refuseArgument(3, "weights", "without negative elements", a[3]);
        double difference = std::fabs(u - v);
        total = std::isinf(p) ? std::max(total, weight > 0 ? difference : 0) : total + weight * std::pow(difference, p);
    }
    return Value::ofDouble(std::isinf(p) ? total : std::pow(total, 1 / p));
}

Value seuclideanKernel(Context&, Arguments a) {
    Ref<Vector> x = realsArgument(a, 0, "X"), y = realsArgument(a, 1, "Y"), z = realsArgument(a, 2, "Z");
    if (x->size() != y->size() || x->size() != z->size()) throw UserError("The vectors don't have the same length.");
    double total = 0;
    for (int64_t i = 0; i < x->size(); ++i) {
        double u = x->data<double>()[i], v = y->data<double>()[i], variance = z->data<double>()[i];
        if (isNull(u) || isNull(v) || isNull(variance)) continue;
        if (!(variance > 0)) refuseArgument(2, "Z", "variances above 0", a[2]);
        total += (u - v) * (u - v) / variance;
    }
    return Value::ofDouble(std::sqrt(total));
}

Value mahalanobisKernel(Context&, Arguments a) {
    Ref<Vector> x = realsArgument(a, 0, "X"), y = realsArgument(a, 1, "Y");
    int64_t n = x->size();
    if (!a[2].isMatrix() || a[2].matrix().rows != n || a[2].matrix().columns != n || y->size() != n)
        refuseArgument(2, "Z", "a square matrix that fits X and Y", a[2]);
    Ref<Vector> z = realsArgument(a, 2, "Z");
    double total = 0;
    auto difference = [&](int64_t i) { return x->data<double>()[i] - y->data<double>()[i]; };
    for (int64_t c = 0; c < n; ++c) {
        for (int64_t r = 0; r < n; ++r) total += difference(r) * z->data<double>()[c * n + r] * difference(c);
    }
    return Value::ofDouble(total < 0 ? null<double> : std::sqrt(total));
}

Value weightedCovarianceOf(std::span<const Value> vectors) {
    std::vector<double> x = numbersOf(vectors[0], "X", 0), y = numbersOf(vectors[1], "Y", 1),
                        w = numbersOf(vectors[2], "W", 2);
    repeatItems({&x, &y, &w});
    CompensatedSum sw, sx, sy;
    for (size_t i = 0; i < x.size(); ++i) {
        if (isNull(x[i]) || isNull(y[i]) || isNull(w[i])) continue;
        sw.add(w[i]);
        sx.add(w[i] * x[i]);
        sy.add(w[i] * y[i]);
    }
    if (sw.value() == 0) return Value::nullOf(Type::Double);
    double meanX = sx.value() / sw.value(), meanY = sy.value() / sw.value();
    CompensatedSum product;
    double count = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        if (isNull(x[i]) || isNull(y[i]) || isNull(w[i])) continue;
        product.add(w[i] * (x[i] - meanX) * (y[i] - meanY));
        ++count;
    }
    // The estimate is that of a sample: n / (n - 1).
    return Value::ofDouble(count < 2 ? null<double> : product.value() / sw.value() * count / (count - 1));
}

// The correlation of X with itself `lag` rows before, about the mean of all.
double autocorrelation(const std::vector<double>& x, int64_t lag) {
    double mean = 0, spread = 0, product = 0, count = 0;
    for (double element : x) {
        if (!isNull(element)) mean += element, ++count;
    }
    mean /= count;
    for (double element : x) {
        if (!isNull(element)) spread += (element - mean) * (element - mean);
    }
    for (size_t i = static_cast<size_t>(lag); i < x.size(); ++i) {
        double now = x[i], before = x[i - static_cast<size_t>(lag)];
        if (!isNull(now) && !isNull(before)) product += (now - mean) * (before - mean);
    }
    return spread == 0 ? null<double> : finiteOrNull(product / spread);
}

Value autocorrOf(std::span<const Value> vectors) {
    return Value::ofDouble(autocorrelation(numbersOf(vectors[0], "X", 0), vectors[1].at(0).asLong()));
}
Value autocorrKernel(Context&, Arguments a) {
    int64_t lag = integerArgument(a, 1, "lag");
    if (lag < 0) refuseArgument(1, "lag", "not negative", a[1]);
    return aggregateForms(autocorrOf, a);
}
Value acfKernel(Context&, Arguments a) {
    Ref<Vector> x = vectorArgument(a, 0, "X");
    int64_t most = integerArgument(a, 1, "maxLag");
    if (most < 0 || most >= x->size()) refuseArgument(1, "maxLag", "below the length of X", a[1]);
    std::vector<double> elements = numbersOf(Value::of(x), "X", 0), result;
    for (int64_t lag = 1; lag <= most; ++lag) {
        checkCancelled();
        result.push_back(autocorrelation(elements, lag));
    }
    return Value::of(Vector::of(Type::Double, result));
}

// crossStat(X, Y): count(X), sum(X), sum(Y), sum2(X), sum2(Y), sum(X * Y), over the rows where both are present.
Value crossStatKernel(Context&, Arguments a) {
    Ref<Vector> x = vectorArgument(a, 0, "X"), y = vectorArgument(a, 1, "Y");
    if (x->size() != y->size()) throw UserError(1, "The vectors don't have the same length.");
    Value vectors[2] = {Value::of(x), Value::of(y)};
    Pairs pairs = validPairs(vectors);
    CompensatedSum sx, sy, xx, yy, xy;
    for (size_t i = 0; i < pairs.x.size(); ++i) {
        sx.add(pairs.x[i]);
        sy.add(pairs.y[i]);
        xx.add(pairs.x[i] * pairs.x[i]);
        yy.add(pairs.y[i] * pairs.y[i]);
        xy.add(pairs.x[i] * pairs.y[i]);
    }
    std::vector<Value> parts = {Value::ofInt(static_cast<int32_t>(pairs.x.size()))};
    for (const CompensatedSum& sum : {sx, sy, xx, yy, xy}) parts.push_back(Value::ofDouble(sum.value()));
    return Value::of(makeRef<Tuple>(std::move(parts)));
}

template <Value (*kOf)(std::span<const Value>)>
Value pairKernel(Context&, Arguments a) {
    if (!a[0].isTable()) return aggregateForms(kOf, a);
    // Goes column by column; the result of a column that is not numeric is NULL.
    const Ref<MemoryTable> table = tableToRead(a[0]);
    if (!table) refuseArgument(0, "X", "in memory", a[0]);
    auto result = makeRef<MemoryTable>();
    for (int c = 0; c < table->columnCount(); ++c) {
        std::vector<Value> columns;
        for (const Value& v : a) {
            const Ref<MemoryTable> other = tableToRead(v);
            if (other && c >= other->columnCount()) throw UserError(1, "The tables differ in their columns.");
            columns.push_back(other ? other->column(c) : v);
        }
        const bool numeric = std::all_of(columns.begin(), columns.end(),
                                         [](const Value& v) { return isNumeric(v.type()) && !v.isTuple(); });
        const Value value = numeric ? aggregateForms(kOf, columns) : Value::nullOf(Type::Double);
        result->setColumn(table->columns()[static_cast<size_t>(c)].name,
                          Value::of(Vector::filled(value.type(), 1, value)));
    }
    return Value::of(Ref<Table>(result));
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "wcovar.X: a numeric vector\n"
    "wcovar.Y: a numeric vector, as long as X\n"
    "wcovar.W: a numeric vector of weights, as long as X\n"
    "minkowski.X: a numeric vector\n"
    "minkowski.Y: a numeric vector, as long as X\n"
    "p: the order, a number above 0; NULL takes the largest difference\n"
    "weights: a numeric vector as long as X, not negative; 1 for each when omitted\n"
    "seuclidean.X: a numeric vector\n"
    "seuclidean.Y: a numeric vector, as long as X\n"
    "seuclidean.Z: a numeric vector of variances above 0, as long as X\n"
    "mahalanobis.X: a numeric vector\n"
    "mahalanobis.Y: a numeric vector, as long as X\n"
    "mahalanobis.Z: a square matrix with as many rows as X has elements";

void registerCorrelations(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   std::string_view source = "") {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .nulls = "Rows with a NULL are left out.",
                      .errors = "The vectors differ in length or are not numeric.",
                      .source = source,
                      .example = example},
                     {.gives = is(Type::Double), .kind = FunctionKind::Aggregate});
    };
    add("spearmanr(X, Y)", pairKernel<spearmanOf>, "Spearman's rank correlation.",
        "spearmanr(1 2 3 4, 1 4 9 8) -> 0.8");
    add("kendall(X, Y)", pairKernel<kendallOf>, "Kendall's rank correlation, tau-b.",
        "kendall(1 2 3 4, 1 4 9 8) -> 0.666667", "Knight 1966");
    add("mutualInfo(X, Y)", pairKernel<mutualInformationOf>, "The mutual information of two columns of keys, in nats.",
        "round(mutualInfo(1 1 2 2, 5 5 6 6), 6) -> 0.693147");
    registry.alias("infoGain", "mutualInfo");
    add("wcovar(X, Y, W)", pairKernel<weightedCovarianceOf>, "The covariance of X and Y with weights W.",
        "wcovar(1 2 3, 2 4 6, 1 1 1) -> 2");
    add("autocorr(X, lag)", autocorrKernel, "The correlation of X with itself `lag` rows before.",
        "autocorr(1 2 3 4, 1) -> 0.25");
    registry.add(
        "acf(X, maxLag)", acfKernel,
        {.summary = "The autocorrelations for the lags 1 … maxLag.", .example = "acf(1 2 3 4, 2) -> [0.25,-0.3]"});
    registry.add("crossStat(X, Y)", crossStatKernel,
                 {.summary = "Count, sums, sums of squares and sum of products of the rows where both are present.",
                  .example = "crossStat(1 2, 3 4) -> (2,3,7,5,25,11)"});
    FunctionDoc pairs;
    pairs.nulls = "Rows with a NULL are left out; nothing left gives NULL.";
    pairs.errors = "X or Y is not numeric.";
    auto documented = [&](std::string_view summary, std::string_view example) {
        FunctionDoc doc = pairs;
        doc.summary = summary;
        doc.example = example;
        return doc;
    };
    addAggregate<EuclideanDistance, double, 2>(registry, "euclidean(X, Y)",
                                               documented("The Euclidean distance.", "euclidean(0 3, 4 0) -> 5"));
    addAggregate<TanimotoDistance, double, 2>(registry, "tanimoto(X, Y)",
                                              documented("The Tanimoto distance.", "tanimoto(1 1, 1 0) -> 0.5"));
    addAggregate<Cosine, double, 2>(
        registry, "cosine(X, Y)",
        documented("The cosine of the angle between X and Y.", "cosine(1 0, 1 1) -> 0.707107"));
    addAggregate<PairCount, double, 2, StateResult::Int>(
        registry, "contextCount(X, Y)",
        documented("How many rows have neither NULL.", "contextCount(1 NULL 3, 1 2 NULL) -> 1"));
    addAggregate<ContextSquares, double, 2>(
        registry, "contextSum2(X, Y)",
        documented("The sum of squares of X where Y is present.", "contextSum2(1 2 3, 1 NULL 1) -> 10"));
    addAggregate<WeightedSquares, double, 2>(registry, "wsum2(X, Y)",
                                             documented("The sum of X * X * Y.", "wsum2(3 1, 1 2) -> 11"));
    registry.add("contextSum(X, Y)", [](Context&, Arguments a) { return aggregateForms(makeContextSum, a); },
                 documented("The sum of X where Y is present.", "contextSum(1 2 3, 1 NULL 1) -> 4"),
                 {.takes = {kNumberOrTime, kNumberOrTime},
                  .gives = productOf(0),
                  .kind = FunctionKind::Aggregate,
                  .nulls = NullRule::Skip,
                  .state = makeContextSum});
    auto distance = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example) {
        FunctionDoc doc = documented(summary, example);
        doc.parameters = parameterLines(syntax, kParameterLines);
        registry.add(syntax, kernel, doc,
                     {.gives = is(Type::Double), .kind = FunctionKind::Aggregate, .nulls = NullRule::Skip});
    };
    distance("minkowski(X, Y, p, [weights])", minkowskiKernel, "The Minkowski distance of order p.",
             "minkowski(1 2, 4 6, 1) -> 7");
    distance("seuclidean(X, Y, Z)", seuclideanKernel,
             "The Euclidean distance of elements divided by their variances Z.",
             "seuclidean(2 5, 3 7, 1 4) -> 1.414214");
    distance("mahalanobis(X, Y, Z)", mahalanobisKernel,
             "The Mahalanobis distance; Z is the inverse of the covariances.", "mahalanobis(1 2, 4 6, eye(2)) -> 5");
}

}  // namespace pelorus
