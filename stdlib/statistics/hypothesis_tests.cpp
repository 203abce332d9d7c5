// Tests of hypotheses: t, z, F, chi-square, Kolmogorov-Smirnov, Mann-Whitney, Shapiro-Wilk. Each returns a dictionary.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/error.h"
#include "common/thread/cancellable_sort.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

namespace bm = boost::math;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The numbers of a sample; NULLs are left out.
std::vector<double> sampleArgument(Arguments a, size_t i, std::string_view name, size_t least) {
    const Ref<Vector> v = realsArgument(a, i, name);
    std::vector<double> sample;
    for (int64_t k = 0; k < v->size(); ++k) {
        if (!v->isNullAt(k)) sample.push_back(v->data<double>()[k]);
    }
    if (sample.size() < least) {
        throw UserError(static_cast<int>(i),
                        fmt::format("{} must hold at least {} numbers, but it holds {}.", name, least, sample.size()));
    }
    return sample;
}

double confidenceArgument(Arguments a, size_t i) {
    const double level = realArgument(a, i, "confLevel", 0.95);
    if (!(level > 0 && level < 1)) refuseArgument(i, "confLevel", "between 0 and 1", a[i]);
    return level;
}

double positiveArgument(Arguments a, size_t i, std::string_view name, double whenOmitted) {
    const double x = realArgument(a, i, name, whenOmitted);
    if (!(x > 0)) refuseArgument(i, name, "above 0", a[i]);
    return x;
}

double meanOf(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}
double varianceOf(const std::vector<double>& x) {
    const double mean = meanOf(x);
    double squares = 0;
    for (double element : x) squares += (element - mean) * (element - mean);
    return squares / static_cast<double>(x.size() - 1);
}

// The dictionary that a test returns, its entries in the order in which they are added.
class Answer {
public:
    explicit Answer(std::string_view method) { set("method", Value::ofString(method)); }
    void set(const char* key, Value value) { dictionary_->set(Value::ofString(key), std::move(value)); }
    void set(const char* key, double value) { set(key, Value::ofDouble(value)); }
    Value value() const { return Value::of(dictionary_); }

private:
    Ref<Dictionary> dictionary_ = makeRef<Dictionary>(Type::String, Type::Any, false);
};

// "what is (not equal to | less than | greater than) value" with p and, where they are given, bounds of an interval.
struct Alternatives {
    std::string what;
    double value;
    std::vector<double> p;
    std::vector<double> lower = {}, upper = {};

    Value table() const {
        const std::string number = itemString(Value::ofDouble(value));
        std::vector<std::string> strings;
        for (const char* relation : {"not equal to", "less than", "greater than"}) {
            strings.push_back(fmt::format("{} is {} {}", what, relation, number));
        }
        std::vector<std::string> names = {"alternativeHypothesis", "pValue"};
        std::vector<Value> columns = {Value::of(Vector::ofStrings(strings)), Value::of(Vector::of(Type::Double, p))};
        if (!lower.empty()) {
            names.insert(names.end(), {"lowerBound", "upperBound"});
            columns.push_back(Value::of(Vector::of(Type::Double, lower)));
            columns.push_back(Value::of(Vector::of(Type::Double, upper)));
        }
        return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(columns))));
    }
};

// A statistic (estimate - mu) / error of a symmetric distribution about 0.
template <class Distribution>
Alternatives aroundEstimate(std::string what, const Distribution& d, double estimate, double mu, double error,
                            double level) {
    const double statistic = (estimate - mu) / error;
    const double below = std::isfinite(statistic) ? bm::cdf(d, statistic) : statistic > 0 ? 1 : 0;
    const double above = std::isfinite(statistic) ? bm::cdf(bm::complement(d, statistic)) : 1 - below;
    const double two = bm::quantile(d, (1 + level) / 2) * error, one = bm::quantile(d, level) * error;
    return {std::move(what),
            mu,
            {2 * std::min(below, above), below, above},
            {estimate - two, -kInfinity, estimate - one},
            {estimate + two, estimate + one, kInfinity}};
}

void requireSpread(double error) {
    if (!(error > 0)) throw UserError(0, "All numbers of the sample are equal: there is nothing to test.");
}

// tTest(X, [Y], [mu], [confLevel], [equalVar])
Value tTestKernel(Context&, Arguments a) {
    const std::vector<double> x = sampleArgument(a, 0, "X", 2);
    const double mu = realArgument(a, 2, "mu", 0), level = confidenceArgument(a, 3);
    const bool equal = flagArgument(a, 4, "equalVar", false);
    const auto n = static_cast<double>(x.size());
    double estimate = meanOf(x), error = std::sqrt(varianceOf(x) / n), degrees = n - 1;
    std::string_view method = "One sample t-test", what = "true mean";
    if (isGiven(a, 1)) {
        const std::vector<double> y = sampleArgument(a, 1, "Y", 2);
        const auto m = static_cast<double>(y.size());
        const double u = varianceOf(x) / n, v = varianceOf(y) / m;
        estimate -= meanOf(y);
        if (equal) {
            method = "Two sample t-test", what = "difference of mean";
            degrees = n + m - 2;
            error = std::sqrt((u * n * (n - 1) + v * m * (m - 1)) / degrees * (1 / n + 1 / m));
        } else {
            method = "Welch two sample t-test", what = "true difference of mean";
            error = std::sqrt(u + v);
            requireSpread(error);
            degrees = (u + v) * (u + v) / (u * u / (n - 1) + v * v / (m - 1));
        }
    }
    requireSpread(error);
    Answer answer(method);
    answer.set("tValue", (estimate - mu) / error);
    answer.set("df", degrees);
    answer.set("confLevel", level);
    answer.set("stat", aroundEstimate(std::string(what), bm::students_t(degrees), estimate, mu, error, level).table());
    return answer.value();
}

// zTest(X, [Y], [mu], [sigmaX], [sigmaY], [confLevel])
Value zTestKernel(Context&, Arguments a) {
    const std::vector<double> x = sampleArgument(a, 0, "X", 1);
    const double mu = realArgument(a, 2, "mu", 0), level = confidenceArgument(a, 5);
    const double sigmaX = positiveArgument(a, 3, "sigmaX", 1), sigmaY = positiveArgument(a, 4, "sigmaY", 1);
    double estimate = meanOf(x), variance = sigmaX * sigmaX / static_cast<double>(x.size());
    const bool two = isGiven(a, 1);
    if (two) {
        const std::vector<double> y = sampleArgument(a, 1, "Y", 1);
        estimate -= meanOf(y);
        variance += sigmaY * sigmaY / static_cast<double>(y.size());
    }
    const double error = std::sqrt(variance);
    Answer answer(two ? "Two sample z-test" : "One sample z-test");
    answer.set("zValue", (estimate - mu) / error);
    answer.set("confLevel", level);
    answer.set(
        "stat",
        aroundEstimate(two ? "difference of mean" : "true mean", bm::normal(), estimate, mu, error, level).table());
    return answer.value();
}

// fTest(X, Y, [ratio], [confLevel])
Value fTestKernel(Context&, Arguments a) {
    const std::vector<double> x = sampleArgument(a, 0, "X", 2), y = sampleArgument(a, 1, "Y", 2);
    const double ratio = positiveArgument(a, 2, "ratio", 1), level = confidenceArgument(a, 3);
    const auto n = static_cast<double>(x.size() - 1), m = static_cast<double>(y.size() - 1);
    const double u = varianceOf(x), v = varianceOf(y);
    requireSpread(u);
    requireSpread(v);
    const double estimate = u / v;
    const bm::fisher_f d(n, m);
    const double below = bm::cdf(d, estimate / ratio), above = bm::cdf(bm::complement(d, estimate / ratio));
    const double tail = (1 - level) / 2;
    const Alternatives alternatives{
        "ratio of variances",
        ratio,
        {2 * std::min(below, above), below, above},
        {estimate / bm::quantile(d, 1 - tail), 0, estimate / bm::quantile(d, level)},
        {estimate / bm::quantile(d, tail), estimate / bm::quantile(d, 1 - level), kInfinity}};
    Answer answer("F test to compare two variances");
    answer.set("fValue", estimate / ratio);
    answer.set("numeratorDf", Value::ofInt(static_cast<int32_t>(n)));
    answer.set("denominatorDf", Value::ofInt(static_cast<int32_t>(m)));
    answer.set("confLevel", level);
    answer.set("stat", alternatives.table());
    return answer.value();
}

Value chiSquareAnswer(std::string_view method, double statistic, int64_t degrees) {
    Answer answer(method);
    answer.set("chiSquaredValue", statistic);
    answer.set("df", Value::ofInt(static_cast<int32_t>(degrees)));
    answer.set("pValue", bm::cdf(bm::complement(bm::chi_squared(static_cast<double>(degrees)), statistic)));
    return answer.value();
}

// The cells of a matrix or of the columns of a table, column after column.
std::vector<std::vector<double>> countsArgument(Arguments a) {
    std::vector<Value> columns;
    if (a[0].isMatrix()) {
        for (int64_t c = 0; c < a[0].matrix().columns; ++c) columns.push_back(Value::of(a[0].matrix().column(c)));
    } else if (const Ref<MemoryTable> table = tableToRead(a[0])) {
        for (int c = 0; c < table->columnCount(); ++c) columns.push_back(table->column(c));
    }
    std::vector<std::vector<double>> counts;
    for (Value& column : columns) counts.push_back(sampleArgument({&column, 1}, 0, "X", 0));
    const bool whole =
        counts.size() > 1 && counts[0].size() > 1 &&
        std::all_of(counts.begin(), counts.end(), [&](const auto& c) { return c.size() == counts[0].size(); });
    if (!whole) refuseArgument(0, "X", "of at least 2 rows and 2 columns, without NULL", a[0]);
    return counts;
}

// chiSquareTest(X, [Y])
Value chiSquareTestKernel(Context&, Arguments a) {
    if (a[0].isMatrix() || a[0].isTable()) {
        const auto counts = countsArgument(a);
        std::vector<double> columnSums, rowSums(counts[0].size(), 0.0);
        for (const auto& column : counts) {
            columnSums.push_back(std::accumulate(column.begin(), column.end(), 0.0));
            for (size_t r = 0; r < column.size(); ++r) rowSums[r] += column[r];
        }
        const double total = std::accumulate(columnSums.begin(), columnSums.end(), 0.0);
        double statistic = 0;
        for (size_t c = 0; c < counts.size(); ++c) {
            for (size_t r = 0; r < rowSums.size(); ++r) {
                const double expected = columnSums[c] * rowSums[r] / total;
                if (!(expected > 0)) throw UserError(0, "Each row and column of X must have a sum above 0.");
                statistic += (counts[c][r] - expected) * (counts[c][r] - expected) / expected;
            }
        }
        return chiSquareAnswer("Pearson's Chi-squared test", statistic,
                               static_cast<int64_t>((counts.size() - 1) * (rowSums.size() - 1)));
    }
    const std::vector<double> x = sampleArgument(a, 0, "X", 2), y = sampleArgument(a, 1, "Y", 2);
    if (x.size() != y.size()) throw UserError(1, "X and Y must have the same number of values that are not NULL.");
    double statistic = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        if (!(y[i] > 0)) throw UserError(1, "The expected values in Y must be above 0.");
        statistic += (x[i] - y[i]) * (x[i] - y[i]) / y[i];
    }
    return chiSquareAnswer("Chi-squared test for given expected values", statistic, static_cast<int64_t>(x.size()) - 1);
}

// Q(x) of Kolmogorov: 1 - 2 sum (-1)^(k-1) exp(-2 k² x²) is its complement.
double kolmogorovTail(double x) {
    if (x < 0.2) return 1;
    double sum = 0;
    for (int k = 1; k <= 100; ++k) {
        const double term = std::exp(-2.0 * k * k * x * x);
        sum += k % 2 ? term : -term;
        if (term < 1e-17) break;
    }
    return std::clamp(2 * sum, 0.0, 1.0);
}

// ksTest(X, Y)
Value ksTestKernel(Context&, Arguments a) {
    std::vector<double> x = sampleArgument(a, 0, "X", 1), y = sampleArgument(a, 1, "Y", 1);
    sortCancellably(x);
    sortCancellably(y);
    const auto n = static_cast<double>(x.size()), m = static_cast<double>(y.size());
    double distance = 0;
    for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
        const double at = std::min(x[i], y[j]);
        while (i < x.size() && x[i] <= at) ++i;
        while (j < y.size() && y[j] <= at) ++j;
        distance = std::max(distance, std::fabs(static_cast<double>(i) / n - static_cast<double>(j) / m));
    }
    const double statistic = std::sqrt(n * m / (n + m)) * distance;
    Answer answer("Two-sample Kolmogorov-Smirnov test");
    answer.set("D", distance);
    answer.set("ksValue", statistic);
    answer.set("pValue", kolmogorovTail(statistic));
    return answer.value();
}

// mannWhitneyUTest(X, Y, [correct])
Value mannWhitneyKernel(Context&, Arguments a) {
    const std::vector<double> x = sampleArgument(a, 0, "X", 1), y = sampleArgument(a, 1, "Y", 1);
    const bool correct = flagArgument(a, 2, "correct", true);
    std::vector<std::pair<double, bool>> all;
    for (double element : x) all.emplace_back(element, true);
    for (double element : y) all.emplace_back(element, false);
    sortCancellably(all);
    double rankSum = 0, ties = 0;
    for (size_t i = 0; i < all.size();) {
        size_t end = i;
        while (end < all.size() && all[end].first == all[i].first) ++end;
        const auto count = static_cast<double>(end - i);
        ties += count * count * count - count;
        for (; i < end; ++i) {
            if (all[i].second) rankSum += static_cast<double>(end) - (count - 1) / 2;
        }
    }
    const auto n = static_cast<double>(x.size()), m = static_cast<double>(y.size()), both = n + m;
    // U counts the pairs in which the value of Y is the larger one.
    const double u = n * m - (rankSum - n * (n + 1) / 2), centred = u - n * m / 2;
    const double spread = std::sqrt(n * m / 12 * (both + 1 - (both > 1 ? ties / (both * (both - 1)) : 0)));
    requireSpread(spread);
    const double half = correct ? 0.5 : 0;
    const bm::normal d;
    const double twoSided = (centred - (centred > 0 ? half : centred < 0 ? -half : 0)) / spread;
    const Alternatives alternatives{
        "true location shift",
        0,
        {2 * std::min(bm::cdf(d, twoSided), bm::cdf(bm::complement(d, twoSided))),
         bm::cdf(d, (centred + half) / spread), bm::cdf(bm::complement(d, (centred - half) / spread))}};
    Answer answer("Mann-Whitney U test");
    answer.set("U", u);
    answer.set("correct", Value::ofBool(correct));
    answer.set("stat", alternatives.table());
    return answer.value();
}

double polynomial(std::initializer_list<double> coefficients, double x) {
    double sum = 0, power = 1;
    for (double c : coefficients) {
        sum += c * power;
        power *= x;
    }
    return sum;
}

// The weights of the upper half of the order statistics, the largest first.
std::vector<double> shapiroWeights(size_t n) {
    const size_t half = n / 2;
    if (n == 3) return {std::sqrt(0.5)};
    std::vector<double> m(half), weights(half);
    double squares = 0;
    for (size_t i = 0; i < half; ++i) {
        m[i] = bm::quantile(bm::normal(), (static_cast<double>(i) + 1 - 0.375) / (static_cast<double>(n) + 0.25));
        squares += 2 * m[i] * m[i];
    }
    const double root = std::sqrt(squares), u = 1 / std::sqrt(static_cast<double>(n));
    weights[0] = polynomial({0, .221157, -.147981, -2.07119, 4.434685, -2.706056}, u) - m[0] / root;
    double rest = squares - 2 * m[0] * m[0], share = 1 - 2 * weights[0] * weights[0];
    size_t from = 1;
    if (n > 5) {
        weights[1] = polynomial({0, .042981, -.293762, -1.752461, 5.682633, -3.582633}, u) - m[1] / root;
        rest -= 2 * m[1] * m[1];
        share -= 2 * weights[1] * weights[1];
        from = 2;
    }
    const double factor = std::sqrt(rest / share);
    for (size_t i = from; i < half; ++i) weights[i] = -m[i] / factor;
    return weights;
}

double shapiroP(double w, size_t count) {
    const auto n = static_cast<double>(count);
    if (count == 3) {
        constexpr double kSixOverPi = 1.90985931710274, kLeastAngle = 1.04719755119660;
        return std::max(0.0, kSixOverPi * (std::asin(std::sqrt(w)) - kLeastAngle));
    }
    double y = std::log(1 - w), mean, deviation;
    if (count <= 11) {
        const double gamma = polynomial({-2.273, .459}, n);
        if (y >= gamma) return 1e-99;
        y = -std::log(gamma - y);
        mean = polynomial({.544, -.39978, .025054, -6.714e-4}, n);
        deviation = std::exp(polynomial({1.3822, -.77857, .062767, -.0020322}, n));
    } else {
        mean = polynomial({-1.5861, -.31082, -.083751, .0038915}, std::log(n));
        deviation = std::exp(polynomial({-.4803, -.082676, .0030302}, std::log(n)));
    }
    return bm::cdf(bm::complement(bm::normal(mean, deviation), y));
}

// shapiroTest(X)
Value shapiroTestKernel(Context&, Arguments a) {
    std::vector<double> x = sampleArgument(a, 0, "X", 3);
    if (x.size() > 5000) refuseArgument(0, "X", "of at most 5000 numbers", a[0]);
    std::sort(x.begin(), x.end());
    const double variance = varianceOf(x);
    requireSpread(variance);
    const std::vector<double> weights = shapiroWeights(x.size());
    double sum = 0;
    for (size_t i = 0; i < weights.size(); ++i) sum += weights[i] * (x[x.size() - 1 - i] - x[i]);
    const double w = std::min(1.0, sum * sum / (variance * static_cast<double>(x.size() - 1)));
    Answer answer("Shapiro-Wilk normality test");
    answer.set("W", w);
    answer.set("pValue", w == 1 ? 1.0 : shapiroP(w, x.size()));
    return answer.value();
}

}  // namespace

void registerHypothesisTests(FunctionRegistry& registry) {
    constexpr std::string_view kNulls = "NULLs are left out.";
    constexpr std::string_view kErrors = "A sample is too small or has no spread.";
    registry.add("tTest(X, [Y], [mu=0.0], [confLevel=0.95], [equalVar=false])", tTestKernel,
                 {.summary = "Student's t-test of the mean of X, or of the difference of the means of X and Y (Welch's "
                             "unless equalVar), as a dictionary.",
                  .parameters = "mu: the supposed mean or difference\nconfLevel: of the intervals\nequalVar: whether "
                                "the variances are supposed to be equal",
                  .nulls = kNulls,
                  .errors = kErrors,
                  .source = "Student 1908; Welch 1947",
                  .example = "tTest(1 2 3 4, , 2.5).tValue -> 0"});
    registry.add("zTest(X, [Y], [mu=0.0], [sigmaX=1.0], [sigmaY=1.0], [confLevel=0.95])", zTestKernel,
                 {.summary = "The z-test of a mean, or of a difference of means, under known deviations.",
                  .parameters = "mu: the supposed mean or difference\nsigmaX, sigmaY: the standard deviations",
                  .nulls = kNulls,
                  .errors = "A sample is empty; a deviation is not above 0.",
                  .example = "zTest(1 2 3 4, , 2.0).zValue -> 1"});
    registry.add("fTest(X, Y, [ratio=1.0], [confLevel=0.95])", fTestKernel,
                 {.summary = "Fisher's test of the ratio of the variances of X and Y.",
                  .parameters = "X: a numeric vector of at least two elements\n"
                                "Y: another one\n"
                                "ratio: the supposed ratio of the variances, above 0\n"
                                "confLevel: the confidence of the interval, between 0 and 1",
                  .nulls = kNulls,
                  .errors = kErrors,
                  .example = "fTest(1 3, 1 2).fValue -> 4"});
    registry.add("chiSquareTest(X, [Y])", chiSquareTestKernel,
                 {.summary = "Pearson's chi-square test: of X against expected values Y, or of the independence of the "
                             "rows and columns of a matrix or table X.",
                  .errors = "Expected values are not above 0; X and Y differ in length.",
                  .example = "chiSquareTest(8 12, 10 10).chiSquaredValue -> 0.8"});
    registry.add("ksTest(X, Y)", ksTestKernel,
                 {.summary = "The Kolmogorov-Smirnov test that X and Y come from one distribution.",
                  .nulls = kNulls,
                  .errors = kErrors,
                  .source = "the limit distribution of Kolmogorov 1933",
                  .example = "ksTest(1 2 3, 4 5 6).D -> 1"});
    registry.add("mannWhitneyUTest(X, Y, [correct=true])", mannWhitneyKernel,
                 {.summary = "The Mann-Whitney U test of a shift between X and Y, by the normal approximation.",
                  .parameters = "correct: for continuity",
                  .nulls = kNulls,
                  .errors = kErrors,
                  .source = "Mann and Whitney 1947, with the variance corrected for ties",
                  .example = "mannWhitneyUTest(1 2 3, 4 5 6).U -> 9"});
    registry.add("shapiroTest(X)", shapiroTestKernel,
                 {.summary = "The Shapiro-Wilk test that X is normal.",
                  .nulls = kNulls,
                  .errors = "X holds fewer than 3 or more than 5000 numbers, or has no spread.",
                  .source = "Royston 1995, algorithm AS R94",
                  .example = "round(shapiroTest(2 4 4 5 6 7 9).W, 3) -> 0.981"});
}

}  // namespace pelorus
