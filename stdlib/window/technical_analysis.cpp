// Moving averages of technical analysis: windows of values; leading NULLs are kept and skipped.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "common/thread/cancellation.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/forms/vector_forms.h"
#include "runtime/kernel/rolling/group_rolling.h"
#include "runtime/kernel/rolling/ring_history.h"
#include "runtime/registry/parameter_lines.h"
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

// Each average is a struct that takes one element after the other and returns the result of its row.
template <class Row>
Column columnOf(const Column& x, Row row) {
    Column y(x.size());
    for (size_t i = 0; i < x.size(); ++i) y[i] = row.next(x[i]);
    return y;
}

// The mean of the window, from the first whole one on. NULLs inside are skipped.
class SimpleRow {
public:
    explicit SimpleRow(int64_t window) : length_(window), rows_(window + 1) {}
    double next(double x) {
        if (rowCount_ == 0 && isNull(x)) return null<double>;
        rows_.put(rowCount_, x);
        if (!isNull(x)) sum_.add(x), ++count_;
        if (const int64_t leaving = rowCount_ - length_; leaving >= 0 && !isNull(rows_[leaving]))
            sum_.add(-rows_[leaving]), --count_;
        ++rowCount_;
        return rowCount_ >= length_ && count_ ? sum_.value() / static_cast<double>(count_) : null<double>;
    }
    int64_t memoryBytes() const { return rows_.memoryBytes(); }

private:
    int64_t length_;
    Ring<double> rows_;  // numbered from the first value on
    CompensatedSum sum_;
    int64_t rowCount_ = 0, count_ = 0;
};

Column simple(const Column& x, int64_t window) {
    return columnOf(x, SimpleRow(window));
}

// A NULL after the first value counts as 0.
double orZero(double x) {
    return isNull(x) ? 0 : x;
}

// y = y + (x - y) * alpha, begun with the mean of the first window.
class ExponentialRow {
public:
    ExponentialRow(int64_t window, double alpha) : length_(window), alpha_(alpha) {}
    double next(double x) {
        if (rowCount_ == 0 && isNull(x)) return null<double>;
        if (++rowCount_ > length_) return now_ += (orZero(x) - now_) * alpha_;
        now_ += orZero(x);  // the sum of the first window until it is whole
        if (rowCount_ < length_) return null<double>;
        return now_ /= static_cast<double>(length_);
    }
    int64_t memoryBytes() const { return 0; }

private:
    int64_t length_;
    double alpha_;
    double now_ = 0;
    int64_t rowCount_ = 0;
};

double emaFactor(int64_t window) {
    return 2.0 / static_cast<double>(window + 1);
}
ExponentialRow emaRow(int64_t window) {
    return {window, emaFactor(window)};
}
Column ema(const Column& x, int64_t window) {
    return columnOf(x, emaRow(window));
}

// Starts at the first value, with the factor of the rows seen so far.
class WarmRow {
public:
    explicit WarmRow(int64_t window) : length_(window) {}
    double next(double x) {
        if (seen_ == 0 && isNull(x)) return null<double>;
        now_ = seen_ == 0 ? x : now_ + (orZero(x) - now_) * emaFactor(std::min(seen_, length_));
        ++seen_;
        return now_;
    }
    int64_t memoryBytes() const { return 0; }

private:
    int64_t length_;
    double now_ = null<double>;
    int64_t seen_ = 0;
};
Column emaWarm(const Column& x, int64_t window) {
    return columnOf(x, WarmRow(window));
}

// The newest value has the weight `window`, the oldest 1.
class WeightedRow {
public:
    explicit WeightedRow(int64_t window) : length_(window), rows_(window) {}
    double next(double x) {
        if (rowCount_ == 0 && isNull(x)) return null<double>;
        rows_.put(rowCount_++, x);
        if (rowCount_ < length_) return null<double>;
        checkCancelled();  // a row takes as long as the window is
        double sum = 0, weights = 0;
        for (int64_t k = 0; k < length_; ++k) {
            const double element = rows_[rowCount_ - 1 - k];
            if (isNull(element)) continue;
            sum += element * static_cast<double>(length_ - k);
            weights += static_cast<double>(length_ - k);
        }
        return weights > 0 ? sum / weights : null<double>;
    }
    int64_t memoryBytes() const { return rows_.memoryBytes(); }

private:
    int64_t length_;
    Ring<double> rows_;  // numbered from the first value on
    int64_t rowCount_ = 0;
};

Column weighted(const Column& x, int64_t window) {
    return columnOf(x, WeightedRow(window));
}

// An average of averages: a x + b y + … of repeated exponential ones, NULL where one is.
class RepeatedRow {
public:
    RepeatedRow(int64_t window, std::vector<double> factors)
        : rows_(factors.size(), emaRow(window)), factors_(std::move(factors)) {}
    double next(double x) {
        double sum = 0;
        bool missing = false;
        for (size_t i = 0; i < rows_.size(); ++i) {
            x = rows_[i].next(x);
            if (factors_[i] == 0) continue;
            missing = missing || isNull(x);
            sum += factors_[i] * x;
        }
        return missing ? null<double> : sum;
    }
    int64_t memoryBytes() const {
        return static_cast<int64_t>(rows_.size() * (sizeof(ExponentialRow) + sizeof(double)));
    }

private:
    std::vector<ExponentialRow> rows_;  // each of the results of the one before
    std::vector<double> factors_;
};

RepeatedRow doubleRow(int64_t window) {
    return {window, {2, -1}};
}
RepeatedRow tripleRow(int64_t window) {
    return {window, {3, -3, 1}};
}
// Tillson's T3 (Tillson 1998).
RepeatedRow tillsonRow(int64_t window, double v) {
    const double v2 = v * v, v3 = v2 * v;
    return {window, {0, 0, 1 + 3 * v + v3 + 3 * v2, -6 * v2 - 3 * v - 3 * v3, 3 * v2 + 3 * v3, -v3}};
}

Column doubleEma(const Column& x, int64_t window) {
    return columnOf(x, doubleRow(window));
}
Column tripleEma(const Column& x, int64_t window) {
    return columnOf(x, tripleRow(window));
}
// A simple average of a simple average.
class TriangularRow {
public:
    explicit TriangularRow(int64_t window) : inner_((window + 2) / 2), outer_((window + 1) / 2) {}
    double next(double x) { return outer_.next(inner_.next(x)); }
    int64_t memoryBytes() const { return inner_.memoryBytes() + outer_.memoryBytes(); }

private:
    SimpleRow inner_, outer_;
};

Column triangular(const Column& x, int64_t window) {
    return columnOf(x, TriangularRow(window));
}

// Kaufman's adaptive average: the smoother the way, the faster it follows.
class KaufmanRow {
public:
    explicit KaufmanRow(int64_t window) : length_(window), rows_(window + 1) {}
    double next(double x) {
        if (rowCount_ == 0 && isNull(x)) return null<double>;
        const int64_t row = rowCount_++;
        rows_.put(row, x);
        if (row + 1 == length_) now_ = x;
        if (row < length_) return null<double>;
        checkCancelled();  // a row takes as long as the window is
        double way = 0;
        bool missing = isNull(x) || isNull(rows_[row - length_]) || isNull(now_);
        for (int64_t k = row - length_ + 1; k <= row && !missing; ++k) {
            missing = isNull(rows_[k]) || isNull(rows_[k - 1]);
            way += std::fabs(rows_[k] - rows_[k - 1]);
        }
        if (missing) return null<double>;
        constexpr double kFast = 2.0 / 3, kSlow = 2.0 / 31;
        const double distance = std::fabs(x - rows_[row - length_]);
        const double efficiency = way <= distance || way == 0 ? 1 : distance / way;
        const double factor = efficiency * (kFast - kSlow) + kSlow;
        return now_ += (x - now_) * factor * factor;
    }
    int64_t memoryBytes() const { return rows_.memoryBytes(); }

private:
    int64_t length_;
    Ring<double> rows_;  // numbered from the first value on
    double now_ = null<double>;
    int64_t rowCount_ = 0;
};

Column kaufman(const Column& x, int64_t window) {
    return columnOf(x, KaufmanRow(window));
}

Column tillson(const Column& x, int64_t window, double v) {
    return columnOf(x, tillsonRow(window, v));
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

// Calls use(row) with the row of the moving average of a type, whose numbers are those of TA-Lib. REQUIRES: the type is
// one.
template <class Use>
auto withAverage(int64_t type, int64_t window, Use use) {
    switch (type) {
        case 0:
            return use(SimpleRow(window));
        case 1:
            return use(emaRow(window));
        case 2:
            return use(WeightedRow(window));
        case 3:
            return use(doubleRow(window));
        case 4:
            return use(tripleRow(window));
        case 5:
            return use(TriangularRow(window));
        case 6:
            return use(KaufmanRow(window));
        default:
            return use(tillsonRow(window, 1));
    }
}

bool isAverageType(int64_t type) {
    return (type >= 0 && type <= 6) || type == 8;
}

Value maKernel(Context&, Arguments a) {
    int64_t type = integerArgument(a, 2, "maType");
    if (!isAverageType(type)) refuseArgument(2, "maType", "0 to 6, or 8", a[2]);
    return average(a, [type](const Column& x, int64_t window) {
        return withAverage(type, window, [&](auto row) { return columnOf(x, std::move(row)); });
    });
}

Value emaKernel(Context&, Arguments a) {
    return average(a, flagArgument(a, 2, "warmup", false) ? emaWarm : ema);
}

Value gemaKernel(Context&, Arguments a) {
    double alpha = realArgument(a, 2, "alpha");
    if (!(alpha > 0 && alpha < 1)) refuseArgument(2, "alpha", "between 0 and 1", a[2]);
    return average(a, [alpha](const Column& x, int64_t window) { return columnOf(x, ExponentialRow(window, alpha)); });
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
    return columnOf(x, ExponentialRow(window, 1.0 / static_cast<double>(window)));
}

// An average whose results beyond the finite numbers are NULL.
template <class Row>
class FiniteRow {
public:
    explicit FiniteRow(Row row) : row_(std::move(row)) {}
    double next(double x) {
        const double result = row_.next(x);
        return std::isfinite(result) ? result : null<double>;
    }
    int64_t memoryBytes() const { return row_.memoryBytes(); }

private:
    Row row_;
};

template <class Row>
std::unique_ptr<RollingStates> statesOf(Row row) {
    return std::make_unique<GroupRolling<FiniteRow<Row>, 1>>(FiniteRow<Row>(std::move(row)), Type::Double);
}

// Returns the window of a call on numbers; 0 when it is no constant.
int64_t rollingLength(std::span<const Type> types, std::span<const Value> constants) {
    if (!areReals(types, 1) || constants.size() < 2) return 0;
    const Value& window = constants[1];
    const bool isCount = window.isScalar() && window.isNumber() && isIntegral(window.type()) && !window.isNull();
    return isCount && window.asLong() >= 1 && window.asLong() <= INT32_MAX ? window.asLong() : 0;
}

template <auto kMake>
std::unique_ptr<RollingStates> averageStates(std::span<const Type> types, std::span<const Value> constants) {
    const int64_t window = rollingLength(types, constants);
    return window ? statesOf(kMake(window)) : nullptr;
}

std::unique_ptr<RollingStates> emaStates(std::span<const Type> types, std::span<const Value> constants) {
    const int64_t window = rollingLength(types, constants);
    if (!window) return nullptr;
    const bool isGivenWarm = constants.size() > 2 && !constants[2].isVoid();
    if (isGivenWarm && !constants[2].isScalar()) return nullptr;
    return isGivenWarm && constants[2].asLong() ? statesOf(WarmRow(window)) : statesOf(emaRow(window));
}

// gema and t3: `otherwise` is the factor of a call without one.
template <auto kMake, bool kHasDefault>
std::unique_ptr<RollingStates> factorStates(std::span<const Type> types, std::span<const Value> constants) {
    const int64_t window = rollingLength(types, constants);
    const bool isGivenFactor = constants.size() > 2 && constants[2].isScalar() && constants[2].isNumber();
    if (!window || (!isGivenFactor && !kHasDefault)) return nullptr;
    return statesOf(kMake(window, isGivenFactor ? constants[2].asDouble() : 1.0));
}

ExponentialRow gemaRow(int64_t window, double alpha) {
    return {window, alpha};
}
ExponentialRow wilderRow(int64_t window) {
    return {window, 1.0 / static_cast<double>(window)};
}
template <class Row>
Row plainRow(int64_t window) {
    return Row(window);
}

std::unique_ptr<RollingStates> averageStatesByType(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kType = 2;
    const int64_t window = rollingLength(types, constants);
    if (!window || constants.size() <= kType || !constants[kType].isScalar() || !constants[kType].isNumber())
        return nullptr;
    if (!isAverageType(constants[kType].asLong())) return nullptr;  // the call says what is wrong
    return withAverage(constants[kType].asLong(), window, [](auto row) { return statesOf(std::move(row)); });
}

// The line of a window without NULL depends on its rows alone, and one with a NULL has none.
int64_t reachOfTrend(std::span<const Value> constants) {
    const std::array types{Type::Double};
    return rollingLength(types, constants) - 1;
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "X: a numeric vector; a matrix or table is computed column by column\n"
    "window: rows of a window, an integer of at least 1\n"
    "warmup: false begins with the mean of the first window, true with the first element\n"
    "vfactor: the volume factor, from 0 to 1\n"
    "alpha: the weight of the newest element, above 0 and below 1\n"
    "maType: an integer: 0 sma, 1 ema, 2 wma, 3 dema, 4 tema, 5 trima, 6 kama, 8 t3";

void registerTechnicalAnalysis(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   MakeRolling rolling = nullptr) {
        const bool isColumn = !syntax.starts_with("linearTimeTrend");
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .nulls = "Leading NULLs stay NULL, and the first window begins after them.",
                      .errors = "X is not numeric, or the window is below 1.",
                      .source = "TA-Lib",
                      .example = example},
                     {.gives = isColumn ? is(Type::Double) : varying(),
                      .kind = FunctionKind::Window,
                      .orderSensitive = true,
                      .rolling = rolling,
                      .reach = isColumn ? nullptr : reachOfTrend});
    };
    add("sma(X, window)", averageKernel<simple>, "The simple moving average.", "sma(NULL 1 2 3, 2) -> [,,1.5,2.5]",
        averageStates<plainRow<SimpleRow>>);
    add("ema(X, window, [warmup=false])", emaKernel,
        "The exponential moving average with factor 2 / (window + 1), begun with the mean of the first window; with "
        "warmup from the first element on.",
        "ema(1 2 3 6, 3) -> [,,2,4]", emaStates);
    add("wma(X, window)", averageKernel<weighted>, "The moving average with weights 1 … window.",
        "wma(1 2 4, 2) -> [,1.666667,3.333333]", averageStates<plainRow<WeightedRow>>);
    add("dema(X, window)", averageKernel<doubleEma>, "The double exponential moving average.",
        "dema(1 2 3 4, 2) -> [,,3,4]", averageStates<doubleRow>);
    add("tema(X, window)", averageKernel<tripleEma>, "The triple exponential moving average.",
        "tema(1 2 3 4 5, 2) -> [,,,4,5]", averageStates<tripleRow>);
    add("trima(X, window)", averageKernel<triangular>, "The triangular moving average: a simple one of a simple one.",
        "trima(1 2 3 5, 3) -> [,,2,3.25]", averageStates<plainRow<TriangularRow>>);
    add("kama(X, window)", averageKernel<kaufman>, "Kaufman's adaptive moving average.",
        "kama(1 2 3 4, 2) -> [,,2.444444,3.135802]", averageStates<plainRow<KaufmanRow>>);
    add("t3(X, window, [vfactor=1.0])", t3Kernel, "Tillson's T3 moving average.", "t3(take(2, 4), 1) -> [2,2,2,2]",
        factorStates<tillsonRow, true>);
    add("gema(X, window, alpha)", gemaKernel, "The exponential moving average with factor alpha.",
        "gema(1 3 4, 2, 0.5) -> [,2,3]", factorStates<gemaRow, false>);
    add("wilder(X, window)", averageKernel<wilder>, "The exponential moving average with factor 1 / window.",
        "wilder(1 3 4, 2) -> [,2,3]", averageStates<wilderRow>);
    add("ma(X, window, maType)", maKernel,
        "The moving average of a type: 0 sma, 1 ema, 2 wma, 3 dema, 4 tema, 5 trima, 6 kama, 8 t3.",
        "ma(1 2 4, 2, 0) -> [,1.5,3]", averageStatesByType);
    add("linearTimeTrend(X, window)", trendKernel,
        "Intercepts and slopes of the lines through the window's elements at 0 … window - 1, as a tuple.",
        "linearTimeTrend(1 3 4, 2) -> ([,1,3],[,2,1])");
}

}  // namespace pelorus
