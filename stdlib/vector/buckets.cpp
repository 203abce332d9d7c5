// Classification of values, and selection by class: bucket, digitize, conditionalFilter, replace, ifNull, firstHit.
#include <algorithm>
#include <cmath>

#include "runtime/function/function.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/forms/vector_forms.h"
#include "runtime/partition/partition_scheme.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/vector/running_recurrences.h"

namespace pelorus {

namespace {

// Returns the elements as DOUBLE, temporal ones by their stored integer.
Ref<Vector> measures(const Value& v, size_t argument, std::string_view name) {
    Value holder = v;
    Ref<Vector> elements = vectorArgument({&holder, 1}, 0, name);
    if (!isNumeric(elements->type()) && !isTemporal(elements->type()) && !isDecimal(elements->type())) {
        refuseArgument(argument, name, "numeric or temporal", v);
    }
    if (isTemporal(elements->type())) elements = cast(*elements, Type::Long);
    return cast(*elements, Type::Double);
}

// bucket(vector, dataRange, bucketNum, [includeOutbound=false])
Value bucketKernel(Context&, Arguments a) {
    Ref<Vector> x = measures(a[0], 0, "vector");
    if (!a[1].isPair()) refuseArgument(1, "dataRange", "a pair", a[1]);
    Ref<Vector> range = measures(a[1], 1, "dataRange");
    const double low = range->data<double>()[0], high = range->data<double>()[1];
    const int64_t buckets = integerArgument(a, 2, "bucketNum");
    if (buckets < 1 || !(low < high)) refuseArgument(2, "bucketNum", "at least 1, and the range must rise", a[2]);
    if (!isFloating(a[1].type()) && std::fmod(high - low, static_cast<double>(buckets)) != 0) {
        throw UserError(1, "dataRange must be the multiplier of bucketNum.", "Use digitize for uneven buckets.");
    }
    const bool outside = flagArgument(a, 3, "includeOutbound", false);
    const double width = (high - low) / static_cast<double>(buckets);
    Ref<Vector> out = Vector::make(Type::Int, x->size());
    for (int64_t i = 0; i < x->size(); ++i) {
        const double v = x->data<double>()[i];
        int32_t& number = out->mutableData<int32_t>()[i];
        if (isNull(v)) {
            number = null<int32_t>;
        } else if (v < low) {
            number = outside ? 0 : null<int32_t>;
        } else if (v >= high) {
            number = outside ? static_cast<int32_t>(buckets + 1) : null<int32_t>;
        } else {
            number = static_cast<int32_t>(std::floor((v - low) / width)) + (outside ? 1 : 0);
        }
    }
    return a[0].isScalar() ? out->at(0) : Value::of(out);
}

// hashBucket(X, buckets): a negative number counts as the unsigned one of its width, as clients have it. (HASH
// partitions take it as one of 64 bits: the partition of a stored row must not change.)
Value hashBucketKernel(Context&, Arguments a) {
    Ref<Vector> x = vectorArgument(a, 0, "X");
    const int64_t buckets = integerArgument(a, 1, "buckets");
    if (buckets < 1 || buckets > INT32_MAX) refuseArgument(1, "buckets", "a positive integer", a[1]);
    Ref<Vector> out = Vector::make(Type::Int, x->size());
    auto* numbers = out->mutableData<int32_t>();
    hashBuckets(*x, static_cast<int>(buckets), numbers);
    const int width = x->width();
    if ((isIntegral(x->type()) || isTemporal(x->type())) && width < 8) {
        const auto count = static_cast<uint32_t>(buckets);
        for (int64_t i = 0; i < x->size(); ++i) {
            const int64_t element = x->asLong(i);
            if (!x->isNullAt(i) && element < 0)
                numbers[i] = static_cast<int32_t>(static_cast<uint32_t>(element) % count);
        }
    }
    std::replace(numbers, numbers + x->size(), -1, null<int32_t>);
    return a[0].isScalar() ? out->at(0) : Value::of(out);
}

// digitize(x, bins, [right=false])
Value digitizeKernel(Context&, Arguments a) {
    Ref<Vector> x = measures(a[0], 0, "x"), bins = measures(a[1], 1, "bins");
    const bool right = flagArgument(a, 2, "right", false);
    const double* begin = bins->data<double>();
    const double* end = begin + bins->size();
    const bool rises = std::is_sorted(begin, end);
    if (!rises && !std::is_sorted(begin, end, std::greater<>())) refuseArgument(1, "bins", "monotonic", a[1]);
    Ref<Vector> out = Vector::make(Type::Int, x->size());
    for (int64_t i = 0; i < x->size(); ++i) {
        const double v = x->data<double>()[i];
        const double* at = rises ? (right ? std::lower_bound(begin, end, v) : std::upper_bound(begin, end, v))
                                 : (right ? std::upper_bound(begin, end, v, std::greater<>())
                                          : std::lower_bound(begin, end, v, std::greater<>()));
        out->mutableData<int32_t>()[i] = static_cast<int32_t>(at - begin);
    }
    return a[0].isScalar() ? out->at(0) : Value::of(out);
}

// volumeBar(X, interval, [label='seq']): runs whose sum reaches the interval.
Value volumeBarKernel(Context&, Arguments a) {
    Ref<Vector> x = realsArgument(a, 0, "X");
    double interval = realArgument(a, 1, "interval");
    const std::string label = stringArgument(a, 2, "label", "seq");
    if (label != "seq" && label != "left" && label != "right") refuseArgument(2, "label", "seq, left or right", a[2]);
    if (interval == 0) refuseArgument(1, "interval", "not 0", a[1]);
    const bool whole = !isFloating(a[0].type());
    const double* elements = x->data<double>();
    auto valueAt = [&](int64_t i) { return isNull(elements[i]) ? 0.0 : elements[i]; };
    if (interval > 0 && interval < 1) {
        double total = 0;
        for (int64_t i = 0; i < x->size(); ++i) total += valueAt(i);
        interval = whole ? std::floor(total * interval) : total * interval;
    }
    Ref<Vector> out = Vector::make(Type::Double, x->size());
    double before = 0;
    int64_t number = 0;
    for (int64_t begin = 0; begin < x->size(); ++number) {
        int64_t end = begin;
        double sum = 0;
        bool reached = false;
        while (end < x->size() && !reached) {
            sum += valueAt(end++);
            reached = interval > 0 ? sum >= interval : sum <= interval;
        }
        const double mark = label == "seq" ? static_cast<double>(number) : label == "left" ? before : before + sum;
        std::fill(out->mutableData<double>() + begin, out->mutableData<double>() + end, mark);
        before += sum;
        begin = end;
    }
    return Value::of(label == "seq" ? cast(*out, Type::Int) : whole ? cast(*out, Type::Long) : out);
}

// conditionalFilter(X, condition, filterMap)
Value conditionalFilterKernel(Context&, Arguments a) {
    if (!a[2].isDictionary()) refuseArgument(2, "filterMap", "a dictionary", a[2]);
    const Dictionary& allowed = a[2].dictionary();
    auto passes = [&](const Value& x, const Value& condition) {
        if (!allowed.contains(condition)) return false;
        return isTrue(isIn(x, allowed.get(condition)));
    };
    if (a[0].isScalar() && a[1].isScalar()) return Value::ofBool(passes(a[0], a[1]));
    const int64_t count = a[0].isScalar() ? a[1].size() : a[0].size();
    if (!a[0].isScalar() && !a[1].isScalar() && a[0].size() != a[1].size()) {
        throw UserError(1, fmt::format("The vectors don't have the same length: {} and {}.", a[0].size(), a[1].size()));
    }
    Ref<Vector> out = Vector::make(Type::Bool, count);
    for (int64_t i = 0; i < count; ++i) {
        out->mutableData<int8_t>()[i] =
            passes(a[0].isScalar() ? a[0] : a[0].at(i), a[1].isScalar() ? a[1] : a[1].at(i));
    }
    return Value::of(out);
}

static uint8_t decimalScaleOf(const Value& v) {
    if (v.isScalar()) return v.extra();
    if (v.isArrayVector()) return v.arrayVector().values()->scale();
    return v.isMatrix() ? v.matrix().cells->scale() : v.vector().scale();
}

// replace(X, oldValue, newValue)
Value replaceKernel(Context&, Arguments a) {
    const Value& x = a[0];
    if (!x.isScalar() && !x.isVector() && !x.isMatrix() && !x.isPair()) refuseArgument(0, "X", "a vector or matrix", x);
    const Type type = x.isArrayVector() ? x.arrayVector().elementType() : x.type();
    const Value replacement = isDecimal(type) ? castFitting(a[2], type, decimalScaleOf(x)) : castFitting(a[2], type);
    return selectItems(applyBinary(Operator::Eq, x, a[1]), replacement, x);
}
Value replaceInPlace(Context& context, Arguments a) {
    a[0] = replaceKernel(context, a);
    return a[0];
}

Value isNullOf(Context& context, const Value& x) {
    std::vector<Value> call = {x};
    return FunctionRegistry::instance().get("isNull").call(context, call);
}

// ifNull(X, Y): NULL where X is, Y elsewhere; ifValid(X, Y): X where it is not NULL, Y elsewhere.
template <bool kValid>
Value ifNullKernel(Context& context, Arguments a) {
    Value x = a[0], y = a[1];
    // A vector pairs with the cells of a matrix.
    if (x.isVector() && y.isMatrix()) y = Value::of(y.matrix().cells);
    return selectItems(isNullOf(context, x), kValid ? y : x, kValid ? x : y);
}

Operator comparisonArgument(const Value& f) {
    const std::string name = f.isFunction() ? std::string(f.function().name()) : "";
    for (Operator op : {Operator::Lt, Operator::Le, Operator::Eq, Operator::Gt, Operator::Ge, Operator::Ne}) {
        if (name == facts(op).function || name == facts(op).symbol) return op;
    }
    throw UserError(0, "func must be one of > >= < <= != <> ==.");
}

// Finds the first element for which `func` holds with the target; NULLs never match. Its position is -1 when there is
// none.
template <bool kPosition>
Value firstHitKernel(Context&, Arguments a) {
    const Operator op = comparisonArgument(a[0]);
    auto one = [&](const Value& column) -> Value {
        Value hits = applyBinary(op, column, a[2]);
        for (int64_t i = 0; i < column.size(); ++i) {
            if (column.vector().isNullAt(i) || hits.vector().data<int8_t>()[i] != 1) continue;
            return kPosition ? Value::ofInt(static_cast<int32_t>(i)) : column.at(i);
        }
        return kPosition ? Value::ofInt(-1) : Value::nullOf(column.type());
    };
    if (a[1].isTypedVector()) return one(a[1]);
    if (!a[1].isMatrix()) refuseArgument(1, "X", "a vector or matrix", a[1]);
    Ref<Vector> out = Vector::make(kPosition ? Type::Int : a[1].type(), a[1].matrix().columns);
    for (int64_t c = 0; c < out->size(); ++c) out->set(c, one(a[1].at(c)));
    return Value::of(out);
}

// The state after, or before, the run of equal elements that holds each element; a NULL has no state.
template <bool kNext>
Value stateKernel(Context&, Arguments a) {
    return vectorForms(
        [](std::span<const Value> step) {
            const Vector& v = step[0].vector();
            const int64_t n = v.size();
            std::vector<int64_t> from(static_cast<size_t>(n), -1);
            int64_t near = -1, beyond = -1;  // the nearest element that is not NULL, and the one of the run beyond it
            for (int64_t k = 0; k < n; ++k) {
                const int64_t i = kNext ? n - 1 - k : k;
                if (v.isNullAt(i)) {
                    from[static_cast<size_t>(i)] = near;
                    continue;
                }
                if (near >= 0 && !identical(v.at(i), v.at(near))) beyond = near;
                near = i;
                from[static_cast<size_t>(i)] = beyond;
            }
            return Value::of(v.gather(from.data(), n));
        },
        a);
}

// sessionWindow(X, sessionGap): the first element of the session that holds each element.
Value sessionWindowKernel(Context&, Arguments a) {
    const Ref<Vector> x = vectorArgument(a, 0, "X");
    if (!isIntegral(x->type()) && !isTemporal(x->type())) refuseArgument(0, "X", "integral or temporal", a[0]);
    const int64_t gap = integerArgument(a, 1, "sessionGap");
    if (gap < 1) refuseArgument(1, "sessionGap", "above 0", a[1]);
    std::vector<int32_t> first;  // positions
    int64_t latest = 0;
    for (int64_t i = 0; i < x->size(); ++i) {
        int32_t session = first.empty() ? -1 : first.back();
        if (!x->isNullAt(i)) {
            const int64_t element = x->asLong(i);
            if (session < 0 || element - latest >= gap) session = static_cast<int32_t>(i);
            // Late elements belong to the open session.
            if (first.empty() || first.back() < 0 || element > latest) latest = element;
        }
        first.push_back(session);
    }
    return Value::of(x->gather(first.data(), x->size()));
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "vector: a scalar or vector of numbers or temporal values\n"
    "dataRange: a pair low:high, with low in and high out\n"
    "bucketNum: how many buckets of equal width, at least 1; for integers it divides the range\n"
    "includeOutbound: true gives elements below the range 0, those in it 1 to bucketNum, and those above bucketNum + "
    "1\n"
    "x: a scalar or vector of numbers or temporal values\n"
    "bins: a vector of bounds that rise, or that fall\n"
    "right: false counts a bound that is equal to the element, true does not; the other way round where bins falls\n"
    "conditionalFilter.X: a scalar or vector\n"
    "condition: a scalar or vector of keys of filterMap, as long as X\n"
    "filterMap: a dictionary from keys to the values that pass: a scalar, vector, or a pair as a closed range\n"
    "replace.X: a scalar, pair, vector or matrix\n"
    "replace.oldValue: the scalar that is replaced\n"
    "replace.newValue: what takes its place, cast to the type of X: a scalar, or a value for each element of X\n"
    "firstHit.func: a comparison: one of > >= < <= != ==\n"
    "ifirstHit.func: a comparison: one of > >= < <= != ==\n"
    "firstHit.X: a vector\n"
    "ifirstHit.X: a vector\n"
    "target: the scalar that elements are compared with";

void registerBuckets(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view nulls,
                   std::string_view example, const Declaration& declaration) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .nulls = nulls,
                      .example = example},
                     declaration);
    };
    add("bucket(vector, dataRange, bucketNum, [includeOutbound=false])", bucketKernel,
        "Which of bucketNum equal buckets of the range each element falls into, from 0; with includeOutbound, elements "
        "below "
        "and above have buckets too.",
        "NULL, as elements outside the range.", "bucket(1 7 12, 0:10, 2) -> [0,1,]",
        {.takes = {kAnything, kTogether, kTogether, kTogether},
         .gives = is(Type::Int),
         .kind = FunctionKind::Elementwise});
    add("hashBucket(X, buckets)", hashBucketKernel,
        "The bucket of each element, from 0 to buckets - 1, as partitions of a HASH domain have it.",
        "NULL, as the empty string is.", "hashBucket(34 45 67, 10) -> [4,5,7]",
        {.takes = {kAnything, kTogether}, .gives = is(Type::Int), .kind = FunctionKind::Elementwise});
    add("digitize(x, bins, [right=false])", digitizeKernel,
        "How many of the bounds in bins lie before each element; an element that equals a bound is after it, or before "
        "it "
        "when right is true.",
        "NULL is below all bounds.", "digitize(0 4 9, 3 5) -> [0,1,2]",
        {.takes = {kAnything, kTogether, kTogether}, .gives = is(Type::Int), .kind = FunctionKind::Elementwise});
    registry.add(
        "volumeBar(X, interval, [label='seq'])", volumeBarKernel,
        {.summary = "For each element the number of the run that holds it; a run ends where its sum reaches the "
                    "interval, which below 1 is a part of the sum of X. Labels left and right give the sum "
                    "of X before and up to the run's end instead.",
         .parameters =
             "X: a numeric vector\n"
             "interval: the sum that ends a run, not 0; between 0 and 1 a part of the sum of X; below 0 runs end where "
             "the sum falls to it\n"
             "label: seq gives numbers from 0, left and right the sum of X before and up to the end of the run",
         .nulls = "Counted as 0.",
         .errors = "interval is 0.",
         .example = "volumeBar(1 3 4 2 2, 4) -> [0,0,1,2,2]"},
        {.orderSensitive = true});
    registry.add(
        "sessionWindow(X, sessionGap)", sessionWindowKernel,
        {.summary =
             "For each element the first one of its session; a session ends where an element is at least the gap "
             "above the largest one before.",
         .nulls = "A NULL belongs to the session before it; NULL before the first.",
         .errors = "X is neither integral nor temporal; the gap is not above 0.",
         .example = "sessionWindow(1 3 9 4 10, 4) -> [1,1,9,9,9]"},
        {.orderSensitive = true, .rolling = sessionStates});
    add("conditionalFilter(X, condition, filterMap)", conditionalFilterKernel,
        "Whether each element of X is among the values that filterMap holds for the key in condition.",
        "Items like others.", "conditionalFilter(1 2, `a`b, dict(`a`b, [1 3, 3 4])) -> [true,false]",
        {.takes = {kAnything, kAnything, kTogether}, .gives = is(Type::Bool), .kind = FunctionKind::Elementwise});
    add("replace(X, oldValue, newValue)", replaceKernel, "X with elements equal to oldValue as newValue.",
        "NULL can be replaced.", "replace(1 2 1, 1, 9) -> [9,2,9]",
        {.gives = same(0), .kind = FunctionKind::Elementwise});
    registry.add(
        "replace!(X, oldValue, newValue)", replaceInPlace,
        {.summary = "As replace, changing X.",
         .parameters =
             "X: a vector, pair or matrix that is changed\n"
             "oldValue: the scalar that is replaced\n"
             "newValue: what takes its place, cast to the type of X: a scalar, or a value for each element of X",
         .example = "x = 1 2; replace!(x, 2, 5); x -> [1,5]"});
    add("ifNull(X, Y)", ifNullKernel<false>, "X where it is NULL, Y elsewhere.", "See above.",
        "ifNull(1 NULL, 5 6) -> [5,]", {.gives = common(0, 1), .kind = FunctionKind::Elementwise});
    add("ifValid(X, Y)", ifNullKernel<true>, "X where it is not NULL, Y elsewhere.", "See above.",
        "ifValid(1 NULL, 5 6) -> [1,6]", {.gives = common(0, 1), .kind = FunctionKind::Elementwise});
    Declaration aggregate{.gives = same(1), .kind = FunctionKind::Aggregate, .orderSensitive = true};
    add("firstHit(func, X, target)", firstHitKernel<false>,
        "The first element of X for which the comparison func with target holds.", "Skipped; NULL when there is none.",
        "firstHit(>, 1 5 7, 4) -> 5", aggregate);
    aggregate.gives = is(Type::Int);
    add("ifirstHit(func, X, target)", firstHitKernel<true>,
        "The position of the first element of X for which the comparison func with target holds, or -1.", "Skipped.",
        "ifirstHit(>, 1 5 7, 4) -> 1", aggregate);
    Declaration ordered;
    ordered.orderSensitive = true;
    add("nextState(X)", stateKernel<true>, "For each element the value of the next run of equal elements.",
        "NULLs are no run; a NULL takes the run after it.", "nextState(1 1 2 3) -> [2,2,3,]", ordered);
    ordered.rolling = stateBeforeStates;
    add("prevState(X)", stateKernel<false>, "For each element the value of the run of equal elements before its own.",
        "NULLs are no run; a NULL takes the run before it.", "prevState(1 1 2 3) -> [,,1,2]", ordered);
}

}  // namespace pelorus
