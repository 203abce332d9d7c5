// Aggregates that search for a value, a position or a property: hits, ranks of a score, draw-downs, monotony.
#include <algorithm>
#include <cmath>

#include "common/thread/cancellable_sort.h"
#include "common/thread/cancellation.h"
#include "runtime/kernel/forms/aggregate_impl.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/draw_down.h"
#include "stdlib/statistics/moments.h"
#include "stdlib/statistics/quantile.h"
#include "stdlib/statistics/streak.h"

namespace pelorus {

namespace {

std::vector<double> validNumbers(const Value& v) {
    const Vector& elements = v.vector();
    Ref<Vector> reals = numbersAs<double>(elements);
    std::vector<double> valid;
    for (int64_t i = 0; i < reals->size(); ++i) {
        if (!isNull(reals->data<double>()[i])) valid.push_back(reals->data<double>()[i]);
    }
    return valid;
}

// percentileRank(X, score, [method='excel'])
Value percentileRankOf(std::span<const Value> vectors) {
    std::vector<double> elements = validNumbers(vectors[0]);
    if (elements.empty()) return Value::nullOf(Type::Double);
    sortCancellably(elements);
    double score = vectors[1].at(0).asDouble();
    int64_t method = vectors[2].at(0).asLong();
    auto below = static_cast<double>(std::lower_bound(elements.begin(), elements.end(), score) - elements.begin());
    auto notAbove = static_cast<double>(std::upper_bound(elements.begin(), elements.end(), score) - elements.begin());
    auto n = static_cast<double>(elements.size());
    constexpr int64_t kRank = 1, kStrict = 2, kWeak = 3, kMean = 4;
    switch (method) {
        case kRank:
            // The mean place of the equal ones, from 1.
            return Value::ofDouble(notAbove == below ? below / n * 100 : (below + 1 + notAbove) / 2 / n * 100);
        case kStrict:
            return Value::ofDouble(below / n * 100);
        case kWeak:
            return Value::ofDouble(notAbove / n * 100);
        case kMean:
            return Value::ofDouble((below + notAbove) / 2 / n * 100);
        default:
            break;
    }
    auto excel = [&](double x) {
        auto less = static_cast<double>(std::lower_bound(elements.begin(), elements.end(), x) - elements.begin());
        auto equal =
            static_cast<double>(std::upper_bound(elements.begin(), elements.end(), x) - elements.begin()) - less;
        return n == equal ? 100.0 : less / (n - equal) * 100;
    };
    if (notAbove > below) return Value::ofDouble(excel(score));
    if (below == 0 || below == n) return Value::nullOf(Type::Double);
    double left = elements[static_cast<size_t>(below) - 1], right = elements[static_cast<size_t>(below)];
    return Value::ofDouble(excel(left) + (excel(right) - excel(left)) * (score - left) / (right - left));
}
Value percentileRankKernel(Context&, Arguments a) {
    constexpr std::string_view kMethods[] = {"excel", "rank", "strict", "weak", "mean"};
    std::string method = stringArgument(a, 2, "method", "excel");
    auto found = std::find(std::begin(kMethods), std::end(kMethods), method);
    if (found == std::end(kMethods)) refuseArgument(2, "method", "excel, rank, strict, weak or mean", a[2]);
    std::vector<Value> step = {a[0], Value::ofDouble(realArgument(a, 1, "score")),
                               Value::ofInt(static_cast<int32_t>(found - std::begin(kMethods)))};
    return aggregateForms(percentileRankOf, step);
}

// quantileSeries(X, q, [interpolation='linear'])
Value quantileSeriesKernel(Context&, Arguments a) {
    std::vector<double> elements = validNumbers(Value::of(vectorArgument(a, 0, "X")));
    Ref<Vector> q = realsArgument(a, 1, "q");
    Interpolation interpolation = interpolationArgument(a, 2);
    std::vector<double> result;
    for (int64_t i = 0; i < q->size(); ++i) {
        checkCancelled();
        double share = q->data<double>()[i];
        if (!(share >= 0 && share <= 1)) refuseArgument(1, "q", "between 0 and 1", a[1]);
        result.push_back(quantileOf(elements, share, interpolation));
    }
    return a[1].isScalar() ? Value::ofDouble(result[0]) : Value::of(Vector::of(Type::Double, result));
}

// searchK(X, k): the k-th smallest value.
Value searchKKernel(Context&, Arguments a) {
    Ref<Vector> x = vectorArgument(a, 0, "X");
    int64_t k = integerArgument(a, 1, "k");
    std::vector<int32_t> rows;
    for (int64_t i = 0; i < x->size(); ++i) {
        if (!x->isNullAt(i)) rows.push_back(static_cast<int32_t>(i));
    }
    if (k < 1 || k > static_cast<int64_t>(rows.size())) {
        Value none = Value::nullOf(x->type());
        if (isDecimal(x->type())) none.setExtra(x->scale());
        return none;
    }
    auto place = rows.begin() + static_cast<ptrdiff_t>(k - 1);
    std::nth_element(rows.begin(), place, rows.end(),
                     [&](int32_t i, int32_t j) { return compareElements(*x, i, *x, j) < 0; });
    return x->at(*place);
}

Value drawDownKernel(Context&, Arguments a) {
    bool relative = flagArgument(a, 1, "ratio", true);
    return aggregateForms(relative ? makeStateOf<DrawDown<true>, double, 1, StateResult::Double>
                                   : makeStateOf<DrawDown<false>, double, 1, StateResult::Double>,
                          a.first(1));
}

Value positiveStreakOf(std::span<const Value> vectors) {
    const Vector& x = vectors[0].vector();
    Ref<Vector> elements = numbersAs<int64_t>(x);
    int64_t sum = 0, most = 0;
    for (int64_t i = 0; i < x.size(); ++i) {
        int64_t element = elements->data<int64_t>()[i];
        sum = !isNull(element) && element > 0 ? longerStreak(sum, element) : 0;
        most = largerStreak(most, sum);
    }
    return Value::ofLong(most);
}

template <bool kRising>
Value monotonicOf(std::span<const Value> vectors) {
    const Vector& v = vectors[0].vector();
    for (int64_t i = 1; i < v.size(); ++i) {
        int order = compareElements(v, i - 1, v, i);
        if (kRising ? order > 0 : order < 0) return Value::ofBool(false);
    }
    return Value::ofBool(true);
}

struct RootMeanSquare {
    CompensatedSum squares;
    int64_t count = 0;
    void add(double x) {
        squares.add(x * x);
        ++count;
    }
    void merge(const RootMeanSquare& other) {
        squares.merge(other.squares);
        count += other.count;
    }
    double result() const {
        return count == 0 ? null<double> : finiteOrNull(std::sqrt(squares.value() / static_cast<double>(count)));
    }
};

Value oddCountOf(std::span<const Value> vectors) {
    Ref<Vector> x = numbersAs<double>(vectors[0].vector());
    bool nulls = vectors[1].at(0).integer() != 0;
    int32_t count = 0;
    for (int64_t i = 0; i < x->size(); ++i) {
        double element = x->data<double>()[i];
        count += isNull(element) ? nulls : !std::isfinite(element);
    }
    return Value::ofInt(count);
}
Value oddCountKernel(Context&, Arguments a) {
    std::vector<Value> step = {a[0], Value::ofBool(flagArgument(a, 1, "includeNull", false))};
    return aggregateForms(oddCountOf, step);
}

template <Value (*kOf)(std::span<const Value>)>
Value oneKernel(Context&, Arguments a) {
    return aggregateForms(kOf, a.first(1));
}

// tupleSum(X): the sum of the elements of each tuple.
Value tupleSumKernel(Context&, Arguments a) {
    if (!a[0].isTuple()) refuseArgument(0, "X", "a tuple", a[0]);
    std::vector<Value> sums;
    for (const Value& part : a[0].tuple().elements) {
        Value sum = part.size() == 0 ? Value() : part.isScalar() ? part : part.at(0);
        for (int64_t i = 1; i < part.size(); ++i) sum = applyBinary(Operator::Add, sum, part.at(i));
        sums.push_back(std::move(sum));
    }
    return sums.size() == 1 ? sums[0] : Value::of(makeRef<Tuple>(std::move(sums)));
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "percentileRank.X: a numeric vector\n"
    "score: a number\n"
    "method: excel interpolates; strict counts elements below the score, weak also equal ones; mean is between these, "
    "rank averages equal ones";

void registerSearches(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   TypeRule gives, bool ordered = false, std::string_view nulls = "Skipped.") {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .nulls = nulls,
                      .errors = "X is not numeric.",
                      .example = example},
                     {.gives = gives, .kind = FunctionKind::Aggregate, .orderSensitive = ordered});
    };
    add("percentileRank(X, score, [method='excel'])", percentileRankKernel,
        "Which percentage of X lies below the score.", "percentileRank(1 2 3 4, 3, `weak) -> 75", is(Type::Double));
    registry.add("quantileSeries(X, q, [interpolation='linear'])", quantileSeriesKernel,
                 {.summary = "The elements at the fractions q of the sorted X.",
                  .parameters = "X: a numeric vector\n"
                                "q: a fraction from 0 to 1, or a vector of them\n"
                                "interpolation: between two elements: linear, lower, higher, nearest or midpoint",
                  .nulls = "Skipped.",
                  .errors = "A fraction is not between 0 and 1.",
                  .example = "quantileSeries(1 2 3 4 5, 0.25 0.5) -> [2,3]"});
    add("searchK(X, k)", searchKKernel, "The k-th smallest element of X, from 1.", "searchK(9 7 8, 2) -> 8", same(0));
    add("maxDrawdown(X, [ratio=true])", drawDownKernel,
        "The deepest fall of X below its highest element so far, relative to that element or, without ratio, as it is.",
        "maxDrawdown(10 20 15 30) -> 0.25", is(Type::Double), true);
    registry.alias("mdd", "maxDrawdown");
    add("maxPositiveStreak(X)", oneKernel<positiveStreakOf>, "The largest sum of positive elements in a row, as LONG.",
        "maxPositiveStreak(1 2 0 2) -> 3", is(Type::Long), true);
    add("isMonotonicIncreasing(X)", oneKernel<monotonicOf<true>>, "Whether no element is smaller than the one before.",
        "isMonotonicIncreasing(1 2 2) -> true", is(Type::Bool), true, "NULL is the smallest.");
    registry.alias("isMonotonic", "isMonotonicIncreasing");
    add("isMonotonicDecreasing(X)", oneKernel<monotonicOf<false>>, "Whether no element is larger than the one before.",
        "isMonotonicDecreasing(3 2 2) -> true", is(Type::Bool), true, "NULL is the smallest.");
    add("countNanInf(X, [includeNull=false])", oddCountKernel, "How many elements are NaN or infinite.",
        "countNanInf([1.0, NULL], true) -> 1", is(Type::Int), false, "Counted with includeNull.");
    FunctionDoc doc;
    doc.summary = "The root of the mean square.";
    doc.nulls = "Skipped.";
    doc.errors = "X is not numeric.";
    doc.example = "rms(3 4 5) -> 4.082483";
    addAggregate<RootMeanSquare, double>(registry, "rms(X)", doc);
    registry.add("tupleSum(X)", tupleSumKernel,
                 {.summary = "The sum of the elements of each tuple of X.",
                  .errors = "X is not a tuple.",
                  .example = "tupleSum([(1 2, 3 4), (5, 6)]) -> ([4,6],11)"});
}

}  // namespace pelorus
