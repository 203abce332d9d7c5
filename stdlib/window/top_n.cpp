// mfTopN, tmfTopN and cumfTopN: an aggregate of the first rows of each window in the order of S.
#include <algorithm>

#include "runtime/kernel/forms/elementwise.h"
#include "runtime/registry/parameter_lines.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/moments.h"
#include "stdlib/statistics/quantile.h"
#include "stdlib/window/running_ranks.h"
#include "stdlib/window/running_top_rows.h"
#include "stdlib/window/window_call.h"
#include "stdlib/window/window_family.h"
#include "stdlib/window/window_top_rows.h"

namespace pelorus {

namespace {

struct TopOptions {
    int64_t top = 1;
    bool ascending = true;
    Ties ties = Ties::Latest;
};

Ties tiesArgument(Arguments a, size_t i, Ties whenOmitted) {
    if (!isGiven(a, i)) return whenOmitted;
    std::string name = stringArgument(a, i, "tiesMethod");
    if (name == "oldest") return Ties::Oldest;
    if (name == "latest") return Ties::Latest;
    if (name == "all") return Ties::All;
    refuseArgument(i, "tiesMethod", "oldest, latest or all", a[i]);
}

// Runs put(row, chosen rows or nothing) over the windows of the sorting column.
template <class Put>
void overTopRows(const Vector& sorting, const RowWindow& window, const TopOptions& options, Put put) {
    TopRows rows(sorting, options.top, options.ascending, options.ties);
    slide(
        rows, window, sorting.size(), [&](int64_t i) { return !sorting.isNullAt(i); },
        [&](int64_t i, bool complete) { put(i, complete ? &rows : nullptr); });
}

// Computes one column of results: State gets the values of the chosen rows that are not NULL.
template <class State, class In, size_t kVectors>
Value topColumn(std::span<const Value> vectors, const RowWindow& window, const TopOptions& options) {
    using Out = decltype(std::declval<State>().result());
    Ref<Vector> x = numbersAs<In>(vectors[0].vector(), 0, "X");
    Ref<Vector> y = kVectors == 2 ? numbersAs<In>(vectors[1].vector(), 1, "Y") : x;
    const In *p = x->template data<In>(), *q = y->template data<In>();
    Ref<Vector> out = Vector::make(naturalType<Out>(), x->size());
    Out* result = out->mutableData<Out>();
    overTopRows(vectors[kVectors].vector(), window, options, [&](int64_t i, const TopRows* rows) {
        State state;
        if (rows) {
            rows->forEach([&](int64_t row) {
                if constexpr (kVectors == 1) {
                    if (!isNull(p[row])) state.add(p[row]);
                } else {
                    if (!isNull(p[row]) && !isNull(q[row])) state.add(p[row], q[row]);
                }
            });
        }
        result[i] = rows ? state.result() : null<Out>;
    });
    return Value::of(out);
}

using TopColumn = std::function<Value(std::span<const Value>, const RowWindow&, const TopOptions&)>;

// Positions of the parameters: X, [Y], S and, but for cumulative windows, the window; then top and the rest.
template <WindowKind kKind>
struct Layout {
    size_t vectors;     // X, [Y] and S
    size_t parameters;  // number of the aggregate's parameters between S and the window
    static constexpr size_t kFirst = kKind == WindowKind::Timed ? 1 : 0;
    size_t window() const { return kFirst + vectors + parameters; }
    size_t top() const { return window() + (kKind == WindowKind::Cumulative ? 0 : 1); }
};

// Reads top, and ascending and tiesMethod from position `rest` on.
TopOptions topOptions(Arguments a, size_t top, size_t rest, Ties defaultTies) {
    TopOptions chosen;
    chosen.top = integerArgument(a, top, "top");
    if (chosen.top < 1) refuseArgument(top, "top", "at least 1", a[top]);
    chosen.ascending = flagArgument(a, rest, "ascending", true);
    chosen.ties = tiesArgument(a, rest + 1, defaultTies);
    return chosen;
}

template <WindowKind kKind>
Value topCall(Arguments a, Layout<kKind> layout, size_t options, Ties defaultTies, const TopColumn& column) {
    const TopOptions chosen = topOptions(a, layout.top(), options, defaultTies);
    std::vector<Value> call(a.begin(), a.begin() + static_cast<ptrdiff_t>(layout.kFirst + layout.vectors));
    if (kKind != WindowKind::Cumulative) call.push_back(a[layout.window()]);
    auto f = [&](std::span<const Value> vectors, const RowWindow& window) { return column(vectors, window, chosen); };
    return windowCall(kKind, layout.vectors, call, f, 0, false);
}

template <class State, size_t kVectors, WindowKind kKind, Ties kTies>
Value topKernel(Context&, Arguments a) {
    Layout<kKind> layout{kVectors + 1, 0};
    return topCall(a, layout, layout.top() + 1, kTies, topColumn<State, double, kVectors>);
}

Value sumColumn(std::span<const Value> vectors, const RowWindow& window, const TopOptions& options) {
    bool integers = !isFloating(vectors[0].type()) && isNumeric(vectors[0].type());
    return integers ? topColumn<IntegerSum, int64_t, 1>(vectors, window, options)
                    : topColumn<RealSum, double, 1>(vectors, window, options);
}
template <WindowKind kKind, Ties kTies>
Value sumTopKernel(Context&, Arguments a) {
    Layout<kKind> layout{2, 0};
    return topCall(a, layout, layout.top() + 1, kTies, sumColumn);
}

// mskewTopN(X, S, window, top, [biased=true], [ascending=true], [tiesMethod='latest'])
template <bool kKurtosis, WindowKind kKind>
Value shapeTopKernel(Context&, Arguments a) {
    Layout<kKind> layout{2, 0};
    bool biased = flagArgument(a, layout.top() + 1, "biased", true);
    return topCall(a, layout, layout.top() + 2, Ties::Latest,
                   biased ? TopColumn(topColumn<Shape<kKurtosis, true>, double, 1>)
                          : TopColumn(topColumn<Shape<kKurtosis, false>, double, 1>));
}

// mpercentileTopN(X, S, percent, window, top, [interpolation], [ascending], [tiesMethod='oldest'])
template <WindowKind kKind>
Value percentileTopKernel(Context&, Arguments a) {
    Layout<kKind> layout{2, 1};
    size_t position = layout.kFirst + 2;
    double percent = realArgument(a, position, "percent");
    if (percent < 0 || percent > 100) refuseArgument(position, "percent", "between 0 and 100", a[position]);
    Interpolation interpolation = interpolationArgument(a, layout.top() + 1);
    auto column = [&](std::span<const Value> vectors, const RowWindow& window, const TopOptions& options) {
        Ref<Vector> x = numbersAs<double>(vectors[0].vector());
        Ref<Vector> out = Vector::make(Type::Double, x->size());
        std::vector<double> elements;
        overTopRows(vectors[1].vector(), window, options, [&](int64_t i, const TopRows* rows) {
            elements.clear();
            if (rows) {
                rows->forEach([&](int64_t row) {
                    if (!isNull(x->data<double>()[row])) elements.push_back(x->data<double>()[row]);
                });
            }
            out->mutableData<double>()[i] = quantileOf(elements, percent / 100, interpolation);
        });
        return Value::of(out);
    };
    return topCall(a, layout, layout.top() + 2, Ties::Oldest, column);
}

// Makes the states of cumfTopN(X, [Y], S, …, top, …) over an aggregate of the chosen rows.
template <class In, size_t kVectors, class Aggregate>
std::unique_ptr<RollingStates> runningTop(std::span<const Type> types, const Aggregate& empty,
                                          const TopOptions& options) {
    if (types.size() <= kVectors || !areReals(types, kVectors)) return nullptr;
    const Type sorting = types[kVectors];
    if (isFloating(sorting)) {
        return std::make_unique<RunningTopRows<double, In, kVectors, Aggregate>>(empty, options.top, options.ascending,
                                                                                 options.ties);
    }
    if (!isNumeric(sorting) && !isTemporal(sorting)) return nullptr;
    return std::make_unique<RunningTopRows<int64_t, In, kVectors, Aggregate>>(empty, options.top, options.ascending,
                                                                              options.ties);
}

template <class State, size_t kVectors>
std::unique_ptr<RollingStates> topStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kTop = kVectors + 1;
    auto a = rollingConstants(types, constants, kTop);
    return a ? runningTop<double, kVectors>(types, State(), topOptions(*a, kTop, kTop + 1, Ties::Latest)) : nullptr;
}

std::unique_ptr<RollingStates> sumTopStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kTop = 2;
    auto a = rollingConstants(types, constants, kTop);
    if (!a || types.empty()) return nullptr;
    const bool integers = !isFloating(types[0]) && isNumeric(types[0]);
    if (!integers) return topStates<RealSum, 1>(types, constants);
    return runningTop<int64_t, 1>(types, IntegerSum(), topOptions(*a, kTop, kTop + 1, Ties::Latest));
}

template <bool kKurtosis>
std::unique_ptr<RollingStates> shapeTopStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kTop = 2, kBiased = 3;
    auto a = rollingConstants(types, constants, kTop);
    if (!a) return nullptr;
    const TopOptions options = topOptions(*a, kTop, kBiased + 1, Ties::Latest);
    return flagArgument(*a, kBiased, "biased", true) ? runningTop<double, 1>(types, Shape<kKurtosis, true>(), options)
                                                     : runningTop<double, 1>(types, Shape<kKurtosis, false>(), options);
}

// A percentile of the chosen rows, as an aggregate.
struct ChosenPercentile {
    double percent;
    Interpolation interpolation;
    std::vector<double> elements = {};
    void add(double x) { elements.push_back(x); }
    double result() { return quantileOf(elements, percent / 100, interpolation); }
};

std::unique_ptr<RollingStates> percentileTopStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kPercent = 2, kTop = 3, kInterpolation = 4;
    auto a = rollingConstants(types, constants, kPercent);
    if (!a) return nullptr;
    const double percent = realArgument(*a, kPercent, "percent");
    if (percent < 0 || percent > 100) refuseArgument(kPercent, "percent", "between 0 and 100", (*a)[kPercent]);
    return runningTop<double, 1>(types, ChosenPercentile{percent, interpolationArgument(*a, kInterpolation)},
                                 topOptions(*a, kTop, kInterpolation + 1, Ties::Oldest));
}

// The explanations of the parameters, but for the window.
constexpr std::string_view kParameterLines =
    "T: the times of the rows: a temporal or integral vector that does not fall, as long as X\n"
    "X: a numeric vector; a matrix or table is computed column by column\n"
    "Y: a numeric vector, as long as X\n"
    "S: the order within the window, as long as X; rows where it is NULL are left out\n"
    "percent: a number from 0 to 100\n"
    "top: how many rows count, from the first on in the order of S; at least 1\n"
    "interpolation: between two elements: linear, lower, higher, nearest or midpoint\n"
    "biased: true takes the elements as the whole population, false corrects for a sample\n"
    "ascending: true takes the smallest of S first, false the largest\n"
    "tiesMethod: of rows with equal S the oldest or latest come first, or all count\n";

std::string topParameterLines(const std::string& syntax) {
    const bool isTimed = syntax.find("(T,") != std::string::npos;
    return parameterLines(syntax, std::string(kParameterLines)
                                      .append(isTimed ? "window: length of a window, above 0: an integer in the unit "
                                                        "of T or a DURATION; a row at t sees times in (t - window, t]"
                                                      : "window: rows of a window, at least 1, its own included"));
}

struct TopFamily {
    FunctionRegistry& registry;

    // "std", "X", "the standard deviation" → mstdTopN, tmstdTopN, cumstdTopN. `result` is that of the examples of the
    // latter two.
    void add(const std::string& name, const std::string& vectors, Kernel m, Kernel tm, Kernel cum, MakeRolling running,
             const char* what, const char* mTies, const char* extra, const char* example, const std::string& result) {
        auto one = [&](const std::string& syntax, Kernel kernel, const std::string& shown,
                       MakeRolling rolling = nullptr) {
            registry.add(syntax, kernel,
                         {.summary = what,
                          .parameters = topParameterLines(syntax),
                          .nulls = "Rows whose S is NULL are left out; NULL of X takes a place and is skipped.",
                          .errors = "X is not numeric, the vectors differ in length, or top is below 1.",
                          .complexity = "O(log window + top) per row.",
                          .example = shown},
                         {.orderSensitive = true, .rolling = rolling, .reach = reachOfWindows(syntax)});
        };
        std::string tail = std::string("top, ") + extra + "[ascending=true], [tiesMethod='";
        one("m" + name + "TopN(" + vectors + ", S, window, " + tail + mTies + "'])", m, example);
        const std::string shown = vectors == "X" ? "1 2 4 8, 4 3 2 1, " : "1 2 4 8, 1 3 2 5, 4 3 2 1, ";
        one("tm" + name + "TopN(T, " + vectors + ", S, window, " + tail + "latest'])", tm,
            "tm" + name + "TopN(1 2 5 6, " + shown + "4, 2) -> " + result);
        one("cum" + name + "TopN(" + vectors + ", S, " + tail + "latest'])", cum,
            "cum" + name + "TopN(" + shown + "2) -> " + result, running);
    }
    template <class State, size_t kVectors>
    void addState(const std::string& name, const std::string& vectors, const char* what, const char* example,
                  const char* result) {
        add(name, vectors, topKernel<State, kVectors, WindowKind::Moving, Ties::Oldest>,
            topKernel<State, kVectors, WindowKind::Timed, Ties::Latest>,
            topKernel<State, kVectors, WindowKind::Cumulative, Ties::Latest>, topStates<State, kVectors>, what,
            "oldest", "", example, result);
    }
};

}  // namespace

void registerTopN(FunctionRegistry& registry) {
    constexpr WindowKind m = WindowKind::Moving, tm = WindowKind::Timed, cum = WindowKind::Cumulative;
    TopFamily f{registry};
    f.add("sum", "X", sumTopKernel<m, Ties::Oldest>, sumTopKernel<tm, Ties::Latest>, sumTopKernel<cum, Ties::Latest>,
          sumTopStates, "The sum of the first rows of each window.", "oldest", "",
          "msumTopN(1 2 3 4, 4 3 2 1, 3, 2) -> [1,3,5,7]", "[1,3,6,12]");
    f.addState<Mean, 1>("avg", "X", "The mean of the first rows of each window.",
                        "mavgTopN(1 2 3 4, 4 3 2 1, 3, 2) -> [1,1.5,2.5,3.5]", "[1,1.5,3,6]");
    f.addState<StandardDeviation, 1>("std", "X", "The sample's deviation of the first rows of each window.",
                                     "mstdTopN(1 3 9, 1 2 3, 3, 2) -> [,1.414214,1.414214]",
                                     "[,0.707107,1.414214,2.828427]");
    f.addState<PopulationDeviation, 1>("stdp", "X", "The population's deviation of the first rows of each window.",
                                       "mstdpTopN(1 3 9, 1 2 3, 3, 2) -> [0,1,1]", "[0,0.5,1,2]");
    f.addState<Variance, 1>("var", "X", "The sample's variance of the first rows of each window.",
                            "mvarTopN(1 3 9, 1 2 3, 3, 2) -> [,2,2]", "[,0.5,2,8]");
    f.addState<PopulationVariance, 1>("varp", "X", "The population's variance of the first rows of each window.",
                                      "mvarpTopN(1 3 9, 1 2 3, 3, 2) -> [0,1,1]", "[0,0.25,1,4]");
    f.addState<WeightedSum, 2>("wsum", "X, Y", "The sum of X * Y of the first rows of each window.",
                               "mwsumTopN(1 2 3, 1 1 2, 3 2 1, 3, 2) -> [1,3,8]", "[1,7,14,48]");
    f.addState<Beta, 2>("beta", "X, Y", "The slope of X on Y over the first rows of each window.",
                        "mbetaTopN(2 4 9, 1 2 3, 1 2 3, 3, 2) -> [,2,2]", "[,0.5,-2,1.333333]");
    f.addState<Correlation, 2>("corr", "X, Y", "The correlation of the first rows of each window.",
                               "mcorrTopN(2 4 9, 1 2 3, 1 2 3, 3, 2) -> [,1,1]", "[,1,-1,1]");
    f.addState<Covariance, 2>("covar", "X, Y", "The sample's covariance of the first rows of each window.",
                              "mcovarTopN(2 4 9, 1 2 3, 1 2 3, 3, 2) -> [,1,1]", "[,1,-1,6]");
    f.addState<PopulationCovariance, 2>("covarp", "X, Y",
                                        "The population's covariance of the first rows of each window.",
                                        "mcovarpTopN(2 4 9, 1 2 3, 1 2 3, 3, 2) -> [0,0.5,0.5]", "[0,0.5,-0.5,3]");
    f.add("skew", "X", shapeTopKernel<false, m>, shapeTopKernel<false, tm>, shapeTopKernel<false, cum>,
          shapeTopStates<false>, "The skewness of the first rows of each window.", "latest", "[biased=true], ",
          "mskewTopN(1 2 3, 1 2 3, 3, 3) -> [,0,0]", "[,0,0,0]");
    f.add("kurtosis", "X", shapeTopKernel<true, m>, shapeTopKernel<true, tm>, shapeTopKernel<true, cum>,
          shapeTopStates<true>, "The kurtosis of the first rows of each window.", "latest", "[biased=true], ",
          "mkurtosisTopN(1 2 3, 1 2 3, 3, 3) -> [,,1.5]", "[,,,]");
    const std::string moving =
        "mpercentileTopN(X, S, percent, window, top, [interpolation='linear'], [ascending=true], "
        "[tiesMethod='oldest'])";
    registry.add(moving, percentileTopKernel<m>,
                 {.summary = "The percentile of the first rows of each window.",
                  .parameters = topParameterLines(moving),
                  .example = "mpercentileTopN(1 2 3 4, 4 3 2 1, 50, 3, 2) -> [1,1.5,2.5,3.5]"},
                 {.orderSensitive = true, .reach = reachOfWindows("mpercentileTopN(X, S, percent, window")});
    const std::string timed =
        "tmpercentileTopN(T, X, S, percent, window, top, [interpolation='linear'], [ascending=true], "
        "[tiesMethod='oldest'])";
    registry.add(timed, percentileTopKernel<tm>,
                 {.summary = "The percentile of the first rows of each window.",
                  .parameters = topParameterLines(timed),
                  .example = "tmpercentileTopN(1 2 5 6, 1 2 4 8, 4 3 2 1, 50, 4, 2) -> [1,1.5,3,6]"},
                 {.orderSensitive = true, .reach = reachOfWindows("tmpercentileTopN(T, X, S, percent, window")});
    const std::string running =
        "cumpercentileTopN(X, S, percent, top, [interpolation='linear'], [ascending=true], "
        "[tiesMethod='oldest'])";
    registry.add(running, percentileTopKernel<cum>,
                 {.summary = "The percentile of the first rows so far.",
                  .parameters = topParameterLines(running),
                  .example = "cumpercentileTopN(1 2 4 8, 4 3 2 1, 50, 2) -> [1,1.5,3,6]"},
                 {.orderSensitive = true, .rolling = percentileTopStates});
}

}  // namespace pelorus
