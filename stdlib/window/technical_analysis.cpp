// Moving averages of technical analysis: windows of values; leading NULLs are kept and skipped.
#include <algorithm>
#include <cmath>
#include <functional>

#include "common/thread/cancellation.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/forms/vector_forms.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// A column of values.
using Column = std::vector<double>;

size_t firstValid(const Column& x) {
    size_t i = 0;
    while (i < x.size() && isNull(x[i])) ++i;
    return i;
}

Column nulls(size_t count) {
    return Column(count, null<double>);
}

// Calls f(i, mean of the window) from the first whole window on. NULLs inside are skipped.
template <class F>
void overMeans(const Column& x, int64_t window, F f) {
    auto length = static_cast<size_t>(window);
    size_t begin = firstValid(x);
    CompensatedSum sum;
    int64_t count = 0;
    for (size_t i = begin; i < x.size(); ++i) {
        if (!isNull(x[i])) sum.add(x[i]), ++count;
        if (i >= begin + length && !isNull(x[i - length])) sum.add(-x[i - length]), --count;
        if (i + 1 >= begin + length) f(i, count ? sum.value() / static_cast<double>(count) : null<double>);
    }
}

Column simple(const Column& x, int64_t window) {
    Column y = nulls(x.size());
    overMeans(x, window, [&](size_t i, double mean) { y[i] = mean; });
    return y;
}

// A NULL after the first value counts as 0.
double orZero(double x) {
    return isNull(x) ? 0 : x;
}

// Returns y = y + (x - y) * alpha, begun with the mean of the first window.
Column exponential(const Column& x, int64_t window, double alpha) {
    Column y = nulls(x.size());
    size_t begin = firstValid(x) + static_cast<size_t>(window) - 1;
    if (begin >= x.size()) return y;
    double sum = 0;
    for (size_t i = firstValid(x); i <= begin; ++i) sum += orZero(x[i]);
    double now = sum / static_cast<double>(window);
    y[begin] = now;
    for (size_t i = begin + 1; i < x.size(); ++i) {
        now += (orZero(x[i]) - now) * alpha;
        y[i] = now;
    }
    return y;
}

double emaFactor(int64_t window) {
    return 2.0 / static_cast<double>(window + 1);
}
Column ema(const Column& x, int64_t window) {
    return exponential(x, window, emaFactor(window));
}

// Starts at the first value, with the factor of the rows seen so far.
Column emaWarm(const Column& x, int64_t window) {
    Column y = nulls(x.size());
    double now = null<double>;
    int64_t seen = 0;
    for (size_t i = firstValid(x); i < x.size(); ++i) {
        now = seen == 0 ? x[i] : now + (orZero(x[i]) - now) * emaFactor(std::min(seen, window));
        y[i] = now;
        ++seen;
    }
    return y;
}

// The newest value has the weight `window`, the oldest 1.
Column weighted(const Column& x, int64_t window) {
    Column y = nulls(x.size());
    size_t begin = firstValid(x);
    auto length = static_cast<size_t>(window);
    for (size_t i = begin + length - 1; i < x.size(); ++i) {
        checkCancelled();  // a row takes as long as the window is
        double sum = 0, weights = 0;
        for (size_t k = 0; k < length; ++k) {
            double element = x[i - k];
            if (isNull(element)) continue;
            sum += element * static_cast<double>(length - k);
            weights += static_cast<double>(length - k);
        }
        if (weights > 0) y[i] = sum / weights;
    }
    return y;
}

// a x + b y + …, NULL where one is.
Column combined(const std::vector<std::pair<double, Column>>& terms) {
    Column y(terms[0].second.size());
    for (size_t i = 0; i < y.size(); ++i) {
        double sum = 0;
        bool missing = false;
        for (const auto& [factor, column] : terms) {
            missing = missing || isNull(column[i]);
            sum += factor * column[i];
        }
        y[i] = missing ? null<double> : sum;
    }
    return y;
}

Column doubleEma(const Column& x, int64_t window) {
    Column one = ema(x, window);
    return combined({{2, one}, {-1, ema(one, window)}});
}
Column tripleEma(const Column& x, int64_t window) {
    Column one = ema(x, window), two = ema(one, window);
    return combined({{3, one}, {-3, two}, {1, ema(two, window)}});
}
Column triangular(const Column& x, int64_t window) {
    return simple(simple(x, (window + 2) / 2), (window + 1) / 2);
}

// Kaufman's adaptive average: the smoother the way, the faster it follows.
Column kaufman(const Column& x, int64_t window) {
    Column y = nulls(x.size());
    auto length = static_cast<size_t>(window);
    size_t begin = firstValid(x) + length;
    constexpr double kFast = 2.0 / 3, kSlow = 2.0 / 31;
    double now = begin <= x.size() && begin > 0 ? x[begin - 1] : null<double>;
    for (size_t i = begin; i < x.size(); ++i) {
        checkCancelled();  // a row takes as long as the window is
        double way = 0;
        bool missing = isNull(x[i]) || isNull(x[i - length]) || isNull(now);
        for (size_t k = i - length + 1; k <= i && !missing; ++k) {
            missing = isNull(x[k]) || isNull(x[k - 1]);
            way += std::fabs(x[k] - x[k - 1]);
        }
        if (missing) continue;
        double distance = std::fabs(x[i] - x[i - length]);
        double efficiency = way <= distance || way == 0 ? 1 : distance / way;
        double factor = efficiency * (kFast - kSlow) + kSlow;
        now += (x[i] - now) * factor * factor;
        y[i] = now;
    }
    return y;
}

// Returns Tillson's T3 (Tillson 1998).
Column tillson(const Column& x, int64_t window, double v) {
    std::vector<Column> e = {ema(x, window)};
    for (int i = 1; i < 6; ++i) e.push_back(ema(e.back(), window));
    double v2 = v * v, v3 = v2 * v;
    return combined(
        {{-v3, e[5]}, {3 * v2 + 3 * v3, e[4]}, {-6 * v2 - 3 * v - 3 * v3, e[3]}, {1 + 3 * v + v3 + 3 * v2, e[2]}});
}

// Fits a line through the window's values at 0 … window-1: its value at 0, or its slope.
Column trend(const Column& x, int64_t window, bool slope) {
    Column y = nulls(x.size());
    size_t begin = firstValid(x);
    auto length = static_cast<size_t>(window);
    double n = static_cast<double>(window), meanT = (n - 1) / 2, spread = n * (n * n - 1) / 12;
    for (size_t i = begin + length - 1; i < x.size(); ++i) {
        checkCancelled();  // a row takes as long as the window is
        double mean = 0, product = 0;
        bool missing = false;
        for (size_t k = 0; k < length; ++k) {
            double element = x[i + 1 - length + k];
            missing = missing || isNull(element);
            mean += element / n;
            product += element * (static_cast<double>(k) - meanT);
        }
        if (missing || spread == 0) continue;
        double b = product / spread;
        y[i] = slope ? b : mean - b * meanT;
    }
    return y;
}

using Average = std::function<Column(const Column&, int64_t window)>;

int64_t windowArgument(Arguments a, size_t i) {
    int64_t window = integerArgument(a, i, "window");
    if (window < 1) refuseArgument(i, "window", "at least 1", a[i]);
    return window;
}

Value average(Arguments a, const Average& f) {
    int64_t window = windowArgument(a, 1);
    return vectorForms(
        [&](std::span<const Value> step) {
            Ref<Vector> x = numbersAs<double>(step[0].vector());
            Column column(x->data<double>(), x->data<double>() + x->size());
            Column y = window > x->size() ? nulls(column.size()) : f(column, window);
            for (double& element : y) {
                if (!std::isfinite(element)) element = null<double>;
            }
            return Value::of(Vector::of(Type::Double, y));
        },
        a.first(1));
}

Column byType(const Column& x, int64_t window, int64_t type) {
    switch (type) {
        case 0:
            return simple(x, window);
        case 1:
            return ema(x, window);
        case 2:
            return weighted(x, window);
        case 3:
            return doubleEma(x, window);
        case 4:
            return tripleEma(x, window);
        case 5:
            return triangular(x, window);
        case 6:
            return kaufman(x, window);
        default:
            return tillson(x, window, 1);
    }
}

Value maKernel(Context&, Arguments a) {
    int64_t type = integerArgument(a, 2, "maType");
    if (type < 0 || type > 8 || type == 7) refuseArgument(2, "maType", "0 to 6, or 8", a[2]);
    return average(a, [type](const Column& x, int64_t window) { return byType(x, window, type); });
}

Value emaKernel(Context&, Arguments a) {
    return average(a, flagArgument(a, 2, "warmup", false) ? emaWarm : ema);
}

Value gemaKernel(Context&, Arguments a) {
    double alpha = realArgument(a, 2, "alpha");
    if (!(alpha > 0 && alpha < 1)) refuseArgument(2, "alpha", "between 0 and 1", a[2]);
    return average(a, [alpha](const Column& x, int64_t window) { return exponential(x, window, alpha); });
}

Value t3Kernel(Context&, Arguments a) {
    double factor = realArgument(a, 2, "vfactor", 1.0);
    if (factor < 0 || factor > 1) refuseArgument(2, "vfactor", "between 0 and 1", a[2]);
    return average(a, [factor](const Column& x, int64_t window) { return tillson(x, window, factor); });
}

Value trendKernel(Context&, Arguments a) {
    std::vector<Value> parts;
    for (bool slope : {false, true})
        parts.push_back(average(a, [slope](const Column& x, int64_t window) { return trend(x, window, slope); }));
    return Value::of(makeRef<Tuple>(std::move(parts)));
}

template <Column (*kAverage)(const Column&, int64_t)>
Value averageKernel(Context&, Arguments a) {
    return average(a, kAverage);
}

Column wilder(const Column& x, int64_t window) {
    return exponential(x, window, 1.0 / static_cast<double>(window));
}

}  // namespace

void registerTechnicalAnalysis(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .nulls = "Leading NULLs stay NULL, and the first window begins after them.",
                      .errors = "X is not numeric, or the window is below 1.",
                      .source = "TA-Lib",
                      .example = example},
                     {.orderSensitive = true});
    };
    add("sma(X, window)", averageKernel<simple>, "The simple moving average.", "sma(NULL 1 2 3, 2) -> [,,1.5,2.5]");
    add("ema(X, window, [warmup=false])", emaKernel,
        "The exponential moving average with factor 2 / (window + 1), begun with the mean of the first window; with "
        "warmup from the first element on.",
        "ema(1 2 3 6, 3) -> [,,2,4]");
    add("wma(X, window)", averageKernel<weighted>, "The moving average with weights 1 … window.",
        "wma(1 2 4, 2) -> [,1.666667,3.333333]");
    add("dema(X, window)", averageKernel<doubleEma>, "The double exponential moving average.",
        "dema(1 2 3 4, 2) -> [,,3,4]");
    add("tema(X, window)", averageKernel<tripleEma>, "The triple exponential moving average.",
        "tema(1 2 3 4 5, 2) -> [,,,4,5]");
    add("trima(X, window)", averageKernel<triangular>, "The triangular moving average: a simple one of a simple one.",
        "trima(1 2 3 5, 3) -> [,,2,3.25]");
    add("kama(X, window)", averageKernel<kaufman>, "Kaufman's adaptive moving average.",
        "kama(1 2 3 4, 2) -> [,,2.444444,3.135802]");
    add("t3(X, window, [vfactor=1.0])", t3Kernel, "Tillson's T3 moving average.", "t3(take(2, 4), 1) -> [2,2,2,2]");
    add("gema(X, window, alpha)", gemaKernel, "The exponential moving average with factor alpha.",
        "gema(1 3 4, 2, 0.5) -> [,2,3]");
    add("wilder(X, window)", averageKernel<wilder>, "The exponential moving average with factor 1 / window.",
        "wilder(1 3 4, 2) -> [,2,3]");
    add("ma(X, window, maType)", maKernel,
        "The moving average of a type: 0 sma, 1 ema, 2 wma, 3 dema, 4 tema, 5 trima, 6 kama, 8 t3.",
        "ma(1 2 4, 2, 0) -> [,1.5,3]");
    add("linearTimeTrend(X, window)", trendKernel,
        "Intercepts and slopes of the lines through the window's elements at 0 … window - 1, as a tuple.",
        "linearTimeTrend(1 3 4, 2) -> ([,1,3],[,2,1])");
}

}  // namespace pelorus
