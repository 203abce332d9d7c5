// The moving, time-based moving and cumulative functions: FAM-03, FAM-04, FAM-05.
#include <algorithm>
#include <cmath>

#include "runtime/kernel/elementwise.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/window/rolling_states.h"
#include "stdlib/window/window_call.h"

namespace pelorus {

namespace {

Ref<Vector> asReals(const Value& v, int argument) {
    const Vector& items = v.vector();
    if (!isNumeric(items.type()) && !isDecimal(items.type())) {
        throw UserError(argument, fmt::format("{} must be numeric, but it is {}.", argument == 0 ? "X" : "Y",
                                              typeName(items.type())));
    }
    return cast(items, Type::Double);
}

// A DOUBLE per row from a state over one or two columns.
template <class State, size_t kVectors>
Value realColumn(std::span<const Value> vectors, const RowWindow& window) {
    Ref<Vector> x = asReals(vectors[0], 0);
    Ref<Vector> y = kVectors == 2 ? asReals(vectors[1], 1) : nullptr;
    RollingColumns columns{x->items<double>(), y ? y->items<double>() : nullptr};
    State state(columns);
    Ref<Vector> out = Vector::make(Type::Double, x->size());
    double* result = out->mutableItems<double>();
    slide(
        state, window, x->size(), [&](int64_t i) { return columns.valid(i); },
        [&](int64_t i, bool complete) { result[i] = complete ? state.result(i) : null<double>; });
    return Value::of(out);
}

template <class State, size_t kVectors, WindowKind kKind>
Value realKernel(Context&, Arguments arguments) {
    return windowCall(kKind, kVectors, arguments, realColumn<State, kVectors>);
}

// Integers are summed exactly, as LONG.
struct RollingIntegerSum {
    const int64_t* x;
    uint64_t sum = 0;
    void add(int64_t i) { sum += static_cast<uint64_t>(x[i]); }
    void remove(int64_t i) { sum -= static_cast<uint64_t>(x[i]); }
};

Value sumColumn(std::span<const Value> vectors, const RowWindow& window) {
    Type type = vectors[0].type();
    if (isFloating(type) || !isNumeric(type)) return realColumn<RollingSum<TermX>, 1>(vectors, window);
    Ref<Vector> x = cast(vectors[0].vector(), Type::Long);
    RollingIntegerSum state{x->items<int64_t>()};
    Ref<Vector> out = Vector::make(Type::Long, x->size());
    int64_t* result = out->mutableItems<int64_t>();
    slide(
        state, window, x->size(), [&](int64_t i) { return !isNull(state.x[i]); },
        [&](int64_t i, bool complete) { result[i] = complete ? static_cast<int64_t>(state.sum) : null<int64_t>; });
    return Value::of(out);
}

template <WindowKind kKind>
Value sumKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, sumColumn);
}

Value productColumn(std::span<const Value> vectors, const RowWindow& window) {
    return realColumn<RollingProduct, 1>(vectors, window);
}
Value cumulativeProduct(Context&, Arguments arguments) {
    return windowCall(WindowKind::Cumulative, 1, arguments,
                      [](std::span<const Value> vectors, const RowWindow& window) {
                          Value product = productColumn(vectors, window);
                          return isFloating(vectors[0].type()) ? product : cast(product, Type::Long);
                      });
}

Value countColumn(std::span<const Value> vectors, const RowWindow& window) {
    const Vector& x = vectors[0].vector();
    struct Counter {
        int64_t count = 0;
        void add(int64_t) { ++count; }
        void remove(int64_t) { --count; }
    } state;
    bool anyNull = x.hasNull();
    Ref<Vector> out = Vector::make(Type::Int, x.size());
    int32_t* result = out->mutableItems<int32_t>();
    slide(
        state, window, x.size(), [&](int64_t i) { return !anyNull || !x.isNullAt(i); },
        [&](int64_t i, bool complete) { result[i] = complete ? static_cast<int32_t>(state.count) : null<int32_t>; });
    return Value::of(out);
}
template <WindowKind kKind>
Value countKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, countColumn, 0, false);
}

// Rows of the extremes, by the order of integers or of floats.
template <bool kMax, class T, class Put>
void extremeRows(const Vector& items, const RowWindow& window, Put put) {
    const T* x = items.items<T>();
    RollingExtreme<kMax, T> state(x);
    slide(
        state, window, items.size(), [&](int64_t i) { return !isNull(x[i]); },
        [&](int64_t i, bool complete) { put(i, complete ? state.row() : -1); });
}

template <bool kMax, class Put>
void forExtremes(const Vector& items, const RowWindow& window, Put put) {
    if (isFloating(items.type())) {
        extremeRows<kMax, double>(*cast(items, Type::Double), window, put);
    } else if (isNumeric(items.type())) {
        extremeRows<kMax, int64_t>(*cast(items, Type::Long), window, put);
    } else if (isTemporal(items.type())) {
        Ref<Vector> stored = cast(items, widthOf(items.type()) == 8 ? Type::Long : Type::Int);
        extremeRows<kMax, int64_t>(*cast(*stored, Type::Long), window, put);
    } else {
        throw UserError(0, fmt::format("X must be numeric or temporal, but it is {}.", typeName(items.type())));
    }
}

template <bool kMax>
Value extremeColumn(std::span<const Value> vectors, const RowWindow& window) {
    const Vector& items = vectors[0].vector();
    std::vector<int32_t> rows(static_cast<size_t>(items.size()));
    forExtremes<kMax>(items, window,
                      [&](int64_t i, int64_t row) { rows[static_cast<size_t>(i)] = static_cast<int32_t>(row); });
    return Value::of(items.gather(rows.data(), items.size()));
}
template <bool kMax, WindowKind kKind>
Value extremeKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, extremeColumn<kMax>);
}

template <bool kMax>
Value extremePositionColumn(std::span<const Value> vectors, const RowWindow& window) {
    const Vector& items = vectors[0].vector();
    Ref<Vector> out = Vector::make(Type::Int, items.size());
    int32_t* result = out->mutableItems<int32_t>();
    forExtremes<kMax>(items, window, [&](int64_t i, int64_t row) {
        result[i] = row < 0 ? null<int32_t> : static_cast<int32_t>(row - window.first(i));
    });
    return Value::of(out);
}
template <bool kMax, WindowKind kKind>
Value extremePositionKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, extremePositionColumn<kMax>);
}

// The item at one end of the window, or the nearest to it that is not NULL.
enum class End : uint8_t { First, Last, FirstNot, LastNot };

template <End kEnd>
Value endColumn(std::span<const Value> vectors, const RowWindow& window) {
    const Vector& x = vectors[0].vector();
    struct Ends {
        void add(int64_t) {}
        void remove(int64_t) {}
    } state;
    constexpr bool kSkips = kEnd == End::FirstNot || kEnd == End::LastNot;
    std::vector<int32_t> rows(static_cast<size_t>(x.size()), -1);
    int64_t lastValid = -1, firstValid = 0;
    slide(
        state, window, x.size(), [&](int64_t i) { return !kSkips || !x.isNullAt(i); },
        [&](int64_t i, bool complete) {
            if (kSkips && !x.isNullAt(i)) lastValid = i;
            int64_t first = window.first(i);
            firstValid = std::max(firstValid, first);
            while (kEnd == End::FirstNot && firstValid < i && x.isNullAt(firstValid)) ++firstValid;
            if (!complete) return;
            int64_t row = kEnd == End::First      ? first
                          : kEnd == End::Last     ? i
                          : kEnd == End::FirstNot ? firstValid
                                                  : lastValid;
            rows[static_cast<size_t>(i)] = static_cast<int32_t>(row);
        });
    return Value::of(x.gather(rows.data(), x.size()));
}
template <End kEnd, WindowKind kKind>
Value endKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, endColumn<kEnd>);
}

Value quantileColumn(const Value& v, const RowWindow& window, double q, const std::string& interpolation = "linear") {
    Ref<Vector> x = asReals(v, 0);
    RollingColumns columns{x->items<double>(), nullptr};
    RollingOrder state(columns, x->size());
    Ref<Vector> out = Vector::make(Type::Double, x->size());
    double* result = out->mutableItems<double>();
    slide(
        state, window, x->size(), [&](int64_t i) { return columns.valid(i); },
        [&](int64_t i, bool complete) { result[i] = complete ? state.quantile(q, interpolation) : null<double>; });
    return Value::of(out);
}

template <WindowKind kKind>
Value medianKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, [](std::span<const Value> v, const RowWindow& window) {
        return quantileColumn(v[0], window, 0.5);
    });
}

// mpercentile(X, percent, [interpolation], window, [minPeriods]) has its parameters between.
template <WindowKind kKind>
Value percentileKernel(Context&, Arguments arguments) {
    size_t position = kKind == WindowKind::Timed ? 2 : 1;
    double percent = realArgument(arguments, position, "percent");
    if (percent < 0 || percent > 100) refuseArgument(position, "percent", "between 0 and 100", arguments[position]);
    std::string interpolation = textArgument(arguments, position + 1, "interpolation", "linear");
    if (interpolation != "linear" && interpolation != "lower" && interpolation != "higher" &&
        interpolation != "nearest" && interpolation != "midpoint") {
        refuseArgument(position + 1, "interpolation", "linear, lower, higher, nearest or midpoint",
                       arguments[position + 1]);
    }
    size_t parameters = kKind == WindowKind::Cumulative ? 0 : 2;
    return windowCall(
        kKind, 1, arguments,
        [&](std::span<const Value> v, const RowWindow& window) {
            return quantileColumn(v[0], window, percent / 100, interpolation);
        },
        parameters);
}

struct RankOptions {
    bool ascending = true, ignoreNA = true, percent = false;
    std::string ties = "min";
};

Value rankColumn(const Value& v, const RowWindow& window, const RankOptions& options) {
    Ref<Vector> x = asReals(v, 0);
    RollingColumns columns{x->items<double>(), nullptr};
    RollingOrder state(columns, x->size());
    int64_t n = x->size(), nullsInside = 0, begin = 0;
    std::vector<double> ranks(static_cast<size_t>(n), null<double>);
    slide(
        state, window, n, [&](int64_t i) { return columns.valid(i); },
        [&](int64_t i, bool complete) {
            nullsInside += columns.valid(i) ? 0 : 1;
            for (; begin < window.first(i); ++begin) nullsInside -= columns.valid(begin) ? 0 : 1;
            double item = columns.x[i];
            bool isNullItem = isNull(item);
            if (isNullItem && options.ignoreNA) return;
            if (!complete && (options.ignoreNA || !window.complete(i, state.count() + nullsInside))) return;
            int64_t nulls = options.ignoreNA ? 0 : nullsInside;
            int64_t all = state.count() + nulls;
            int64_t equal = isNullItem ? nulls : state.equal(item);
            int64_t below = isNullItem ? 0 : state.below(item) + nulls;
            int64_t before = options.ascending ? below : all - below - equal;
            double rank = static_cast<double>(before);
            if (options.ties == "max") rank += static_cast<double>(equal - 1);
            if (options.ties == "average") rank += static_cast<double>(equal - 1) / 2;
            ranks[static_cast<size_t>(i)] = options.percent ? (rank + 1) / static_cast<double>(all) : rank;
        });
    Ref<Vector> out = Vector::of(Type::Double, ranks);
    return Value::of(options.percent || options.ties == "average" ? out : cast(*out, Type::Int));
}

// mrank(X, ascending, window, [ignoreNA], [tiesMethod], [percent], [minPeriods])
Value movingRankKernel(Context&, Arguments arguments) {
    RankOptions options{flagArgument(arguments, 1, "ascending", true), flagArgument(arguments, 3, "ignoreNA", true),
                        flagArgument(arguments, 5, "percent", false), textArgument(arguments, 4, "tiesMethod", "min")};
    std::vector<Value> call = {arguments[0], arguments[2], arguments[6]};
    return windowCall(WindowKind::Moving, 1, call, [&](std::span<const Value> v, const RowWindow& window) {
        return rankColumn(v[0], window, options);
    });
}

Value cumulativeRankKernel(Context&, Arguments arguments) {
    RankOptions options{flagArgument(arguments, 1, "ascending", true), flagArgument(arguments, 2, "ignoreNA", true),
                        flagArgument(arguments, 4, "percent", false), textArgument(arguments, 3, "tiesMethod", "min")};
    return windowCall(WindowKind::Cumulative, 1, arguments, [&](std::span<const Value> v, const RowWindow& window) {
        return rankColumn(v[0], window, options);
    });
}

// Mean distance from the mean, or median distance from the median. O(window) per row.
Value movingDeviationKernel(Context&, Arguments arguments) {
    bool useMedian = flagArgument(arguments, 2, "useMedian", false);
    std::vector<Value> call = {arguments[0], arguments[1], arguments[3]};
    return windowCall(WindowKind::Moving, 1, call, [&](std::span<const Value> v, const RowWindow& window) {
        Ref<Vector> x = asReals(v[0], 0);
        const double* items = x->items<double>();
        struct Nothing {
            void add(int64_t) {}
            void remove(int64_t) {}
        } state;
        Ref<Vector> out = Vector::make(Type::Double, x->size());
        double* result = out->mutableItems<double>();
        std::vector<double> inside;
        auto middle = [&] {
            auto half = inside.begin() + static_cast<ptrdiff_t>(inside.size() / 2);
            std::nth_element(inside.begin(), half, inside.end());
            if (inside.size() % 2 == 1) return *half;
            return (*half + *std::max_element(inside.begin(), half)) / 2;
        };
        slide(
            state, window, x->size(), [&](int64_t i) { return !isNull(items[i]); },
            [&](int64_t i, bool complete) {
                result[i] = null<double>;
                if (!complete) return;
                inside.clear();
                double sum = 0;
                for (int64_t k = window.first(i); k <= i; ++k) {
                    if (isNull(items[k])) continue;
                    inside.push_back(items[k]);
                    sum += items[k];
                }
                double center = useMedian ? middle() : sum / static_cast<double>(inside.size());
                double total = 0;
                for (double& item : inside) total += item = std::fabs(item - center);
                result[i] = useMedian ? middle() : total / static_cast<double>(inside.size());
            });
        return Value::of(out);
    });
}

// mavg(X, weights): the window is as long as the weights.
Value meanKernel(Context& context, Arguments arguments) {
    if (!arguments[1].isVector()) return realKernel<RollingMean, 1, WindowKind::Moving>(context, arguments);
    Ref<Vector> weights = realsArgument(arguments, 1, "window");
    std::vector<Value> call = {arguments[0], Value::ofLong(weights->size()), arguments[2]};
    return windowCall(WindowKind::Moving, 1, call, [&](std::span<const Value> v, const RowWindow& window) {
        Ref<Vector> x = asReals(v[0], 0);
        const double* items = x->items<double>();
        const double* w = weights->items<double>();
        int64_t length = weights->size();
        struct Nothing {
            void add(int64_t) {}
            void remove(int64_t) {}
        } state;
        Ref<Vector> out = Vector::make(Type::Double, x->size());
        double* result = out->mutableItems<double>();
        slide(
            state, window, x->size(), [&](int64_t i) { return !isNull(items[i]); },
            [&](int64_t i, bool complete) {
                double sum = 0, total = 0;
                for (int64_t k = window.first(i); k <= i && complete; ++k) {
                    if (isNull(items[k])) continue;
                    sum += items[k] * w[length - 1 - (i - k)];
                    total += w[length - 1 - (i - k)];
                }
                result[i] = complete && total != 0 ? sum / total : null<double>;
            });
        return Value::of(out);
    });
}

// The number of rows in a row, up to this one, for which the sign stays positive.
Value positiveStreakKernel(Context&, Arguments arguments) {
    return windowCall(WindowKind::Cumulative, 1, arguments, [](std::span<const Value> v, const RowWindow&) {
        const Vector& x = v[0].vector();
        Ref<Vector> out = Vector::make(Type::Long, x.size());
        int64_t sum = 0;
        for (int64_t i = 0; i < x.size(); ++i) {
            bool positive = !x.isNullAt(i) && x.asDouble(i) > 0;
            sum = positive ? sum + x.asLong(i) : 0;
            out->mutableItems<int64_t>()[i] = sum;
        }
        return Value::of(out);
    });
}

struct Family {
    FunctionRegistry& registry;

    void add(const char* syntax, Kernel kernel, const char* summary, const char* example) {
        registry.add(
            syntax, kernel,
            {.summary = summary,
             .nulls =
                 "Skipped; a window without items gives NULL. Without minPeriods the first window-1 rows of a moving "
                 "window are NULL; with it, windows of fewer items are.",
             .errors = "X is not numeric, the vectors differ in length, or the window is below 1.",
             .complexity = "O(1) per row, whatever the window; orders, medians and ranks O(log n).",
             .example = example},
            {.orderSensitive = true});
    }
};

template <class State>
void addOneColumn(Family& f, const char* m, const char* tm, const char* cum, const char* summary, const char* mExample,
                  const char* cumExample) {
    f.add(m, realKernel<State, 1, WindowKind::Moving>, summary, mExample);
    f.add(tm, realKernel<State, 1, WindowKind::Timed>, summary, "");
    if (cum) f.add(cum, realKernel<State, 1, WindowKind::Cumulative>, summary, cumExample);
}

template <class State>
void addTwoColumns(Family& f, const char* m, const char* tm, const char* cum, const char* summary,
                   const char* example) {
    f.add(m, realKernel<State, 2, WindowKind::Moving>, summary, example);
    f.add(tm, realKernel<State, 2, WindowKind::Timed>, summary, "");
    if (cum) f.add(cum, realKernel<State, 2, WindowKind::Cumulative>, summary, "");
}

}  // namespace

void registerWindows(FunctionRegistry& registry) {
    Family f{registry};
    constexpr WindowKind m = WindowKind::Moving, tm = WindowKind::Timed, cum = WindowKind::Cumulative;
    const char* sum = "The sum of the window: LONG for integers, DOUBLE for floats.";
    f.add("msum(X, window, [minPeriods])", sumKernel<m>, sum,
          "msum(2 1 3 NULL 6 5 4, 3) -> [,,6,4,9,11,15]\nmsum(1 2 3, 2, 1) -> [1,3,5]");
    f.add("tmsum(T, X, window)", sumKernel<tm>, sum, "tmsum(1 1 2 5, 1 2 3 4, 2) -> [1,3,6,4]");
    f.add("cumsum(X)", sumKernel<cum>, sum, "cumsum(1 NULL 3) -> [1,1,4]");
    f.add("mavg(X, window, [minPeriods])", meanKernel,
          "The mean of the window; with a vector of weights in place of the window, their weighted mean.",
          "mavg(1 2 3 4, 2) -> [,1.5,2.5,3.5]");
    f.add("tmavg(T, X, window)", realKernel<RollingMean, 1, tm>, "The mean of the window.",
          "tmavg(1 2 5, 1 2 4, 2) -> [1,1.5,4]");
    f.add("cumavg(X)", realKernel<RollingMean, 1, cum>, "The mean of the rows so far.", "cumavg(1 2 6) -> [1,1.5,3]");
    f.add("mcount(X, window, [minPeriods=1])", countKernel<m>, "How many items of the window are not NULL, as INT.",
          "mcount(1 NULL 3, 2) -> [1,1,1]");
    f.add("tmcount(T, X, window)", countKernel<tm>, "How many items of the window are not NULL, as INT.", "");
    f.add("cumcount(X)", countKernel<cum>, "How many items so far are not NULL, as INT.",
          "cumcount(1 NULL 3) -> [1,1,2]");
    addOneColumn<RollingSum<TermSquare>>(f, "msum2(X, window, [minPeriods])", "tmsum2(T, X, window)", "cumsum2(X)",
                                         "The sum of squares.", "msum2(1 2 3, 2) -> [,5,13]", "cumsum2(1 2) -> [1,5]");
    f.add("cumsum3(X)", realKernel<RollingSum<TermCube>, 1, cum>, "The sum of cubes of the rows so far.",
          "cumsum3(1 2) -> [1,9]");
    f.add("cumsum4(X)", realKernel<RollingSum<TermFourth>, 1, cum>, "The sum of fourth powers of the rows so far.",
          "cumsum4(1 2) -> [1,17]");
    addOneColumn<RollingVariance<true, true>>(f, "mstd(X, window, [minPeriods])", "tmstd(T, X, window)", "cumstd(X)",
                                              "The standard deviation of a sample.",
                                              "mstd(1 2 3 5, 3) -> [,,1,1.527525]", "cumstd(1 2 3) -> [,0.707107,1]");
    addOneColumn<RollingVariance<false, true>>(f, "mstdp(X, window, [minPeriods])", "tmstdp(T, X, window)",
                                               "cumstdp(X)", "The standard deviation of a population.",
                                               "mstdp(1 3, 2) -> [,1]", "cumstdp(1 3) -> [0,1]");
    addOneColumn<RollingVariance<true, false>>(f, "mvar(X, window, [minPeriods])", "tmvar(T, X, window)", "cumvar(X)",
                                               "The variance of a sample.", "mvar(1 2 3, 3) -> [,,1]",
                                               "cumvar(1 2 3) -> [,0.5,1]");
    addOneColumn<RollingVariance<false, false>>(f, "mvarp(X, window, [minPeriods])", "tmvarp(T, X, window)",
                                                "cumvarp(X)", "The variance of a population.", "mvarp(1 3, 2) -> [,1]",
                                                "cumvarp(1 3) -> [0,1]");
    addOneColumn<RollingShape<false>>(f, "mskew(X, window, [biased=true], [minPeriods])", "tmskew(T, X, window)",
                                      nullptr, "The skewness (biased).", "mskew(1 2 3, 3) -> [,,0]", "");
    addOneColumn<RollingShape<true>>(f, "mkurtosis(X, window, [biased=true], [minPeriods])", "tmkurtosis(T, X, window)",
                                     nullptr, "The kurtosis (biased).", "mkurtosis(1 2 3 4, 4) -> [,,,1.64]", "");
    f.add("mprod(X, window, [minPeriods])", realKernel<RollingProduct, 1, m>, "The product of the window, as DOUBLE.",
          "mprod(1 2 3 4, 2) -> [,2,6,12]");
    f.add("tmprod(T, X, window)", realKernel<RollingProduct, 1, tm>, "The product of the window, as DOUBLE.", "");
    f.add("cumprod(X)", cumulativeProduct, "The product of the rows so far: LONG for integers.",
          "cumprod(1 2 3) -> [1,2,6]");

    const char* smallest = "The smallest item of the window, in the type of X.";
    f.add("mmin(X, window, [minPeriods])", extremeKernel<false, m>, smallest, "mmin(3 1 2 5, 2) -> [,1,1,2]");
    f.add("tmmin(T, X, window)", extremeKernel<false, tm>, smallest, "");
    f.add("cummin(X)", extremeKernel<false, cum>, "The smallest item so far.", "cummin(3 1 2) -> [3,1,1]");
    const char* largest = "The largest item of the window, in the type of X.";
    f.add("mmax(X, window, [minPeriods])", extremeKernel<true, m>, largest, "mmax(3 1 2 5, 2) -> [,3,2,5]");
    f.add("tmmax(T, X, window)", extremeKernel<true, tm>, largest, "");
    f.add("cummax(X)", extremeKernel<true, cum>, "The largest item so far.", "cummax(1 3 2) -> [1,3,3]");
    f.add("mimin(X, window, [minPeriods])", extremePositionKernel<false, m>,
          "Where in the window the smallest item stands, from 0.", "mimin(3 1 2 5, 2) -> [,1,0,0]");
    f.add("mimax(X, window, [minPeriods])", extremePositionKernel<true, m>,
          "Where in the window the largest item stands, from 0.", "mimax(3 1 2 5, 2) -> [,0,1,1]");
    f.add("mfirst(X, window, [minPeriods])", endKernel<End::First, m>, "The first item of the window.",
          "mfirst(3 1 2, 2) -> [,3,1]");
    f.add("mlast(X, window, [minPeriods])", endKernel<End::Last, m>, "The last item of the window.",
          "mlast(3 1 2, 2) -> [,1,2]");
    f.add("mfirstNot(X, window, [minPeriods])", endKernel<End::FirstNot, m>,
          "The first item of the window that is not NULL.", "mfirstNot(NULL 1 2, 2) -> [,1,1]");
    f.add("mlastNot(X, window, [minPeriods])", endKernel<End::LastNot, m>,
          "The last item of the window that is not NULL.", "mlastNot(3 NULL 2, 2) -> [,3,2]");
    f.add("tmfirst(T, X, window)", endKernel<End::First, tm>, "The first item of the window.", "");
    f.add("tmlast(T, X, window)", endKernel<End::Last, tm>, "The last item of the window.", "");
    f.add("cumfirstNot(X)", endKernel<End::FirstNot, cum>, "The first item so far that is not NULL.",
          "cumfirstNot(NULL 1 2) -> [,1,1]");
    f.add("cumlastNot(X)", endKernel<End::LastNot, cum>, "The last item so far that is not NULL.",
          "cumlastNot(1 NULL 2) -> [1,1,2]");

    f.add("mmed(X, window, [minPeriods])", medianKernel<m>, "The median of the window.",
          "mmed(3 1 2 10, 3) -> [,,2,2]");
    f.add("tmmed(T, X, window)", medianKernel<tm>, "The median of the window.", "");
    f.add("cummed(X)", medianKernel<cum>, "The median of the rows so far.", "cummed(3 1 2) -> [3,2,2]");
    f.add("mpercentile(X, percent, [interpolation='linear'], window, [minPeriods])", percentileKernel<m>,
          "The percentile of the window.", "mpercentile(1 2 3, 50, , 2) -> [,1.5,2.5]");
    f.add("tmpercentile(T, X, percent, [interpolation='linear'], window)", percentileKernel<tm>,
          "The percentile of the window.", "");
    f.add("cumpercentile(X, percent, [interpolation='linear'])", percentileKernel<cum>,
          "The percentile of the rows so far.", "cumpercentile(1 2 3, 50) -> [1,1.5,2]");
    f.add("mrank(X, ascending, window, [ignoreNA=true], [tiesMethod='min'], [percent=false], [minPeriods])",
          movingRankKernel, "The rank of each item in its window, from 0.",
          "mrank(3 2 4 4 4 NULL 1, false, 3) -> [,,0,0,0,,1]");
    f.add("cumrank(X, [ascending=true], [ignoreNA=true], [tiesMethod='min'], [percent=false])", cumulativeRankKernel,
          "The rank of each item among the rows so far, from 0.", "cumrank(1 3 2) -> [0,1,1]");
    f.add("mmad(X, window, [useMedian=false], [minPeriods])", movingDeviationKernel,
          "The mean distance from the window's mean, or the median distance from its median.",
          "mmad(1 2 6, 3) -> [,,2]");
    f.add("cumPositiveStreak(X)", positiveStreakKernel, "The sum of X since it was last not positive, as LONG.",
          "cumPositiveStreak(1 0 1 1) -> [1,0,1,2]");

    addTwoColumns<RollingCorrelation>(f, "mcorr(X, Y, window, [minPeriods])", "tmcorr(T, X, Y, window)",
                                      "cumcorr(X, Y)", "The correlation of X and Y.",
                                      "mcorr(1 2 3, 2 4 6, 3) -> [,,1]");
    addTwoColumns<RollingCovariance<true>>(f, "mcovar(X, Y, window, [minPeriods])", "tmcovar(T, X, Y, window)",
                                           "cumcovar(X, Y)", "The covariance of a sample.",
                                           "mcovar(1 2 3, 2 4 6, 3) -> [,,2]");
    addTwoColumns<RollingCovariance<false>>(f, "mcovarp(X, Y, window, [minPeriods])", "tmcovarp(T, X, Y, window)",
                                            "cumcovarp(X, Y)", "The covariance of a population.",
                                            "mcovarp(1 3, 2 4, 2) -> [,1]");
    addTwoColumns<RollingBeta>(f, "mbeta(Y, X, window, [minPeriods])", "tmbeta(T, Y, X, window)", "cumbeta(Y, X)",
                               "The slope of the regression of Y on X.",
                               "mbeta(0.016 0.009 -0.012 0.022 0.003 -0.056 0.002, 0.011 0.006 -0.008 0.012 -0.016 "
                               "-0.023 0.018, 5) -> [,,,,0.818182,1.692379,1.188532]");
    addTwoColumns<RollingSum<TermProduct>>(f, "mwsum(X, Y, window, [minPeriods])", "tmwsum(T, X, Y, window)",
                                           "cumwsum(X, Y)", "The sum of X * Y.", "mwsum(1 2 3, 1 1 2, 2) -> [,3,8]");
    addTwoColumns<RollingWeightedMean>(f, "mwavg(X, Y, window, [minPeriods])", "tmwavg(T, X, Y, window)",
                                       "cumwavg(X, Y)", "The mean of X weighted by Y.",
                                       "mwavg(1 2 3, 1 1 3, 2) -> [,1.5,2.75]");
}

}  // namespace pelorus
