// Order statistics: medians, quantiles, the mode; and all, any, distinct counts.
#include <algorithm>
#include <cmath>

#include "runtime/kernel/forms/aggregate_impl.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/key_index.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/distinct_state.h"
#include "stdlib/statistics/median_state.h"
#include "stdlib/statistics/quantile.h"
#include "stdlib/table/make_table.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

std::vector<double> validNumbers(const Value& x) {
    Value holder = x;
    Ref<Vector> elements = realsArgument({&holder, 1}, 0, "X");
    std::vector<double> valid;
    valid.reserve(static_cast<size_t>(elements->size()));
    const double* p = elements->data<double>();
    for (int64_t i = 0; i < elements->size(); ++i) {
        if (!isNull(p[i])) valid.push_back(p[i]);
    }
    return valid;
}

Value medianOf(std::span<const Value> vectors) {
    std::vector<double> elements = validNumbers(vectors[0]);
    return Value::ofDouble(quantileOf(elements, 0.5, Interpolation::Linear));
}
Value medianKernel(Context&, Arguments arguments) {
    return aggregateForms(medianOf, arguments.first(1));
}

// The parameters follow X as scalars.
Value percentileOf(std::span<const Value> vectors) {
    std::vector<double> elements = validNumbers(vectors[0]);
    double q = vectors[1].at(0).asDouble();
    auto interpolation = static_cast<Interpolation>(vectors[2].at(0).asLong());
    return Value::ofDouble(quantileOf(elements, q, interpolation));
}

Value fractionForms(Arguments arguments, double q) {
    std::vector<Value> step = {arguments[0], Value::ofDouble(q),
                               Value::ofInt(static_cast<int32_t>(interpolationArgument(arguments, 2)))};
    return aggregateForms(percentileOf, step);
}

Value percentileKernel(Context&, Arguments arguments) {
    double percent = realArgument(arguments, 1, "percent");
    if (percent < 0 || percent > 100) refuseArgument(1, "percent", "between 0 and 100", arguments[1]);
    return fractionForms(arguments, percent / 100);
}

Value quantileKernel(Context&, Arguments arguments) {
    double q = realArgument(arguments, 1, "q");
    if (q < 0 || q > 1) refuseArgument(1, "q", "between 0 and 1", arguments[1]);
    return fractionForms(arguments, q);
}

Value meanDeviationOf(std::span<const Value> vectors) {
    std::vector<double> elements = validNumbers(vectors[0]);
    bool useMedian = vectors[1].at(0).integer() != 0;
    if (elements.empty()) return Value::nullOf(Type::Double);
    double center = 0;
    if (useMedian) {
        center = quantileOf(elements, 0.5, Interpolation::Linear);
    } else {
        CompensatedSum sum;
        for (double x : elements) sum.add(x);
        center = sum.value() / static_cast<double>(elements.size());
    }
    for (double& x : elements) x = std::fabs(x - center);
    if (useMedian) return Value::ofDouble(quantileOf(elements, 0.5, Interpolation::Linear));
    CompensatedSum sum;
    for (double x : elements) sum.add(x);
    return Value::ofDouble(sum.value() / static_cast<double>(elements.size()));
}

Value madKernel(Context&, Arguments arguments) {
    std::vector<Value> step = {arguments[0], Value::ofBool(flagArgument(arguments, 1, "useMedian", false))};
    return aggregateForms(meanDeviationOf, step);
}

Value modeOf(std::span<const Value> vectors) {
    const Vector& v = vectors[0].vector();
    KeyIndex index(v.type());
    std::vector<int32_t> positions(static_cast<size_t>(v.size()));
    index.insertAll(v, positions.data());
    std::vector<int64_t> counts(static_cast<size_t>(index.size()));
    for (int64_t i = 0; i < v.size(); ++i) {
        if (!v.isNullAt(i)) ++counts[static_cast<size_t>(positions[static_cast<size_t>(i)])];
    }
    auto best = std::max_element(counts.begin(), counts.end());
    Value mode = best == counts.end() || *best == 0 ? Value::nullOf(v.type()) : index.key(best - counts.begin());
    if (isDecimal(v.type())) mode.setExtra(v.scale());
    return mode;
}
Value modeKernel(Context&, Arguments arguments) {
    return aggregateForms(modeOf, arguments);
}

Value distinctCountOf(std::span<const Value> vectors) {
    const Vector& v = vectors[0].vector();
    bool ignoreNull = vectors.size() > 1 && vectors[1].at(0).integer() != 0;
    KeyIndex index(v.type());
    std::vector<int32_t> positions(static_cast<size_t>(v.size()));
    index.insertAll(v, positions.data());
    int64_t count = index.size();
    if (ignoreNull && v.hasNull()) --count;
    return Value::ofInt(static_cast<int32_t>(count));
}
Value nuniqueKernel(Context&, Arguments arguments) {
    if (arguments[0].isTuple()) {
        // Rows of several vectors.
        KeyIndex index(Type::Any);
        int64_t rows = arguments[0].size() == 0 ? 0 : arguments[0].at(0).size();
        for (int64_t r = 0; r < rows; ++r) {
            std::vector<Value> row;
            for (const Value& column : arguments[0].tuple().elements) row.push_back(column.at(r));
            index.insert(Value::of(makeRef<Tuple>(std::move(row))));
        }
        return Value::ofInt(static_cast<int32_t>(index.size()));
    }
    std::vector<Value> step = {arguments[0], Value::ofBool(flagArgument(arguments, 1, "ignoreNull", false))};
    return aggregateForms(distinctCountOf, step);
}

template <bool kAll>
Value truthOf(std::span<const Value> vectors) {
    const Vector& v = vectors[0].vector();
    if (!isNumeric(v.type()))
        throw UserError(0, fmt::format("X must be BOOL or numeric, but it is {}.", typeName(v.type())));
    for (int64_t i = 0; i < v.size(); ++i) {
        bool truth = v.isNullAt(i) || v.asDouble(i) != 0;
        if (kAll && !truth) return Value::ofBool(false);
        if (!kAll && truth && !v.isNullAt(i)) return Value::ofBool(true);
    }
    return Value::ofBool(kAll);
}
template <bool kAll>
Value truthKernel(Context& context, Arguments arguments) {
    if (arguments[0].isFunction()) {
        std::span<const Value> data = arguments.subspan(1);
        int64_t count = std::max<int64_t>(commonCount(data), commonCount(data) < 0 ? 1 : 0);
        for (int64_t i = 0; i < count; ++i) {
            context.checkCancelled();
            Value truth = callWith(arguments[0].function(), context, stepArguments(data, i));
            if (isTrue(truth) != kAll) return Value::ofBool(!kAll);
        }
        return Value::ofBool(kAll);
    }
    // The result of `any` for a matrix is one value, that of `all` one for each column.
    if (!kAll && arguments[0].isMatrix()) {
        const Value cells = Value::of(arguments[0].matrix().cells);
        return truthOf<kAll>({&cells, 1});
    }
    return aggregateForms(truthOf<kAll>, arguments.first(1));
}

// Count, mean, deviation and quantiles as an ordered dictionary.
Value statKernel(Context&, Arguments arguments) {
    const std::vector<std::string> names = takeColumnNames(arguments);
    std::vector<double> elements = validNumbers(arguments[0]);
    int64_t size = arguments[0].size();
    auto result = makeRef<Dictionary>(Type::String, Type::Any, true);
    auto set = [&](std::string_view key, Value value) { result->set(Value::ofString(key), std::move(value)); };
    CompensatedSum sum;
    for (double x : elements) sum.add(x);
    double n = static_cast<double>(elements.size()), mean = elements.empty() ? null<double> : sum.value() / n;
    CompensatedSum squares;
    for (double x : elements) squares.add((x - mean) * (x - mean));
    std::vector<double> copy = elements;
    set("Count", Value::ofInt(static_cast<int32_t>(elements.size())));
    set("Avg", Value::ofDouble(mean));
    set("Max", Value::ofDouble(elements.empty() ? null<double> : *std::max_element(elements.begin(), elements.end())));
    set("Min", Value::ofDouble(elements.empty() ? null<double> : *std::min_element(elements.begin(), elements.end())));
    set("Median", Value::ofDouble(quantileOf(copy, 0.5, Interpolation::Linear)));
    set("Stdev", Value::ofDouble(n < 2 ? null<double> : std::sqrt(squares.value() / (n - 1))));
    set("Size", Value::ofInt(static_cast<int32_t>(size)));
    set("Name", Value::ofString(names.empty() ? "" : names[0]));
    return Value::of(result);
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "percentile.X: a numeric vector; a matrix or table is computed column by column\n"
    "percent: a number from 0 to 100\n"
    "quantile.X: a numeric vector; a matrix or table is computed column by column\n"
    "q: a fraction, a number from 0 to 1\n"
    "interpolation: between two elements: linear, lower, higher, nearest or midpoint\n"
    "all.X: a scalar, vector, matrix or table of BOOL or numbers; or a function that gives a BOOL\n"
    "all.args: for a function: its arguments, which are walked in step\n"
    "any.X: a scalar, vector, matrix or table of BOOL or numbers; or a function that gives a BOOL\n"
    "any.args: for a function: its arguments, which are walked in step";

void registerOrderStatistics(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   TypeRule gives, std::string_view nulls = "NULLs are skipped; nothing left gives NULL.",
                   bool ordered = false, MakeState state = nullptr) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .nulls = nulls,
                      .errors = "X is not numeric.",
                      .example = example},
                     {.gives = gives,
                      .kind = FunctionKind::Aggregate,
                      .nulls = NullRule::Skip,
                      .orderSensitive = ordered,
                      .state = state});
    };
    add("med(X)", medianKernel, "The median of X, as DOUBLE.", "med(3 1 2 10) -> 2.5", is(Type::Double),
        "NULLs are skipped; nothing left gives NULL.", false, makeMedian);
    registry.alias("median", "med");
    add("percentile(X, percent, [interpolation='linear'])", percentileKernel,
        "The element below which `percent` of X lie, as DOUBLE.", "percentile(1 2 3 4 5, 50) -> 3", is(Type::Double));
    add("quantile(X, q, [interpolation='linear'])", quantileKernel,
        "The element at fraction q of the sorted X, as DOUBLE.", "quantile(1 2 3 4 5, 0.25) -> 2", is(Type::Double));
    add("mad(X, [useMedian=false])", madKernel,
        "The mean distance from the mean, or with useMedian the median distance from the median.",
        "mad(1 2 3 6) -> 1.5", is(Type::Double));
    add("mode(X)", modeKernel, "The most frequent element of X; of equally frequent ones, the first.",
        "mode(1 2 2 3) -> 2", same(0), "NULLs are skipped; nothing left gives NULL.", true);
    add("nunique(X, [ignoreNull=false])", nuniqueKernel, "The number of distinct elements of X, as INT.",
        "nunique(1 2 2 NULL) -> 3", is(Type::Int), "NULL counts as an element, unless ignoreNull.", false,
        makeDistinctCount);
    add("all(X, args...)", truthKernel<true>,
        "Whether no element of X is false; of a function, of its results over the "
        "parts of the arguments.",
        "all(true 1b) -> true\nall(<, 1 2, 3 1) -> false", is(Type::Bool), "Ignored.");
    add("any(X, args...)", truthKernel<false>,
        "Whether an element of X is true; of a function, of its results over the "
        "parts of the arguments.",
        "any(false 1b) -> true\nany(<, 1 2, 3 1) -> true", is(Type::Bool), "Ignored.");
    registry.add("stat(X, [name])", statKernel,
                 {.summary = "Count, mean, extremes, median and deviation of X as a dictionary.",
                  .nulls = "Skipped.",
                  .example = "stat(1 2 3)[`Avg] -> 2"},
                 {.takes = {kAnything | Takes::Spelled}});
}

}  // namespace pelorus
