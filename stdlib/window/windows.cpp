// The moving, time-based moving and cumulative sums and moments.
#include <algorithm>
#include <cmath>

#include "common/check.h"
#include "runtime/kernel/forms/elementwise.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/draw_down.h"
#include "stdlib/statistics/moments.h"
#include "stdlib/window/running_ranks.h"
#include "stdlib/window/sliding_rows.h"
#include "stdlib/window/sliding_state.h"
#include "stdlib/window/timed_rows.h"
#include "stdlib/window/window_call.h"
#include "stdlib/window/window_family.h"

namespace pelorus {

namespace {

// Calls put(row, state or nothing) for each row of the window.
template <class State, size_t kVectors, class Put>
void overStates(std::span<const Value> vectors, const RowWindow& window, Put put) {
    Ref<Vector> x = windowReals(vectors[0], 0);
    Ref<Vector> y = kVectors == 2 ? windowReals(vectors[1], 1) : nullptr;
    CHECK(!y || y->size() >= x->size()) << "both columns have the rows of the window";
    RollingColumns columns{x->data<double>(), y ? y->data<double>() : nullptr};
    SlidingState<State, kVectors> state(columns);
    slide(
        state, window, x->size(), [&](int64_t i) { return columns.valid(i); },
        [&](int64_t i, bool complete) {
            if (complete) {
                State whole = state.whole();
                put(i, &whole);
            } else {
                put(i, static_cast<const State*>(nullptr));
            }
        });
}

// A DOUBLE per row from an aggregate's state over one or two columns.
template <class State, size_t kVectors>
Value realColumn(std::span<const Value> vectors, const RowWindow& window) {
    Ref<Vector> out = Vector::make(Type::Double, vectors[0].size());
    double* result = out->mutableData<double>();
    overStates<State, kVectors>(
        vectors, window, [&](int64_t i, const State* state) { result[i] = state ? state->result() : null<double>; });
    return Value::of(out);
}

template <class State, size_t kVectors, WindowKind kKind>
Value realKernel(Context&, Arguments arguments) {
    return windowCall(kKind, kVectors, arguments, realColumn<State, kVectors>);
}

// The states of mf(X, [Y], window, [minPeriods]) and cumf(X, [Y]).
template <class State, size_t kVectors, WindowKind kKind>
std::unique_ptr<RollingStates> realStates(std::span<const Type> types, std::span<const Value> constants) {
    if (!areReals(types, kVectors)) return nullptr;
    if constexpr (kKind == WindowKind::Cumulative) {
        return std::make_unique<GroupRolling<RunningRow<State, kVectors>, kVectors>>(RunningRow<State, kVectors>(),
                                                                                     Type::Double);
    } else {
        const auto window = rollingWindow(constants, kVectors);
        if (!window) return nullptr;
        using Row = SlidingRow<State, kVectors>;
        return std::make_unique<GroupRolling<Row, kVectors>>(Row(*window), Type::Double);
    }
}

// Integers are summed exactly, as LONG: NULL where a LONG cannot hold the sum.
struct RollingIntegerSum {
    const int64_t* x;
    WideTotal sum;
    void add(int64_t i) { sum.add(x[i]); }
    void remove(int64_t i) { sum.subtract(x[i]); }
    int64_t result() const { return sum.orNull(); }
};

// Integers of at most 32 bits: 2^31 of them have a sum that a LONG holds.
struct RollingShortIntegerSum {
    const int64_t* x;
    int64_t sum = 0;
    void add(int64_t i) { sum += x[i]; }
    void remove(int64_t i) { sum -= x[i]; }
    int64_t result() const { return sum; }
};

// The running product of integers. Windows that only grow take no factor away.
struct RunningIntegerProduct {
    const int64_t* x;
    IntegerProduct product;
    void add(int64_t i) { product.add(x[i]); }
    void remove(int64_t) { CHECK(false) << "a running product keeps its factors"; }
    int64_t result() const { return product.result(); }
};

// A LONG per row from a state over the integers of a column.
template <class State>
Value wholeColumn(const Vector& column, const RowWindow& window) {
    Ref<Vector> x = cast(column, Type::Long);
    State state{.x = x->data<int64_t>()};
    Ref<Vector> out = Vector::make(Type::Long, x->size());
    int64_t* result = out->mutableData<int64_t>();
    slide(
        state, window, x->size(), [&](int64_t i) { return !isNull(state.x[i]); },
        [&](int64_t i, bool complete) { result[i] = complete ? state.result() : null<int64_t>; });
    return Value::of(out);
}

Value sumColumn(std::span<const Value> vectors, const RowWindow& window) {
    Type type = vectors[0].type();
    if (isFloating(type) || !isNumeric(type)) return realColumn<RealSum, 1>(vectors, window);
    const Vector& column = vectors[0].vector();
    const bool mayOverflow = widthOf(type) > 4 || column.size() > INT32_MAX;
    return mayOverflow ? wholeColumn<RollingIntegerSum>(column, window)
                       : wholeColumn<RollingShortIntegerSum>(column, window);
}

template <WindowKind kKind>
Value sumKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, sumColumn);
}

template <WindowKind kKind>
std::unique_ptr<RollingStates> sumStates(std::span<const Type> types, std::span<const Value> constants) {
    if (types.empty()) return nullptr;
    if (isFloating(types[0]) || !isNumeric(types[0])) return realStates<RealSum, 1, kKind>(types, constants);
    if constexpr (kKind == WindowKind::Cumulative) {
        using Row = RunningTotal<WideTotal>;
        return std::make_unique<GroupRolling<Row, 1, int64_t, int64_t>>(Row(), Type::Long);
    } else {
        const auto window = rollingWindow(constants, 1);
        if (!window) return nullptr;
        using Row = SlidingTotal<WideTotal>;
        return std::make_unique<GroupRolling<Row, 1, int64_t, int64_t>>(Row(*window), Type::Long);
    }
}

std::unique_ptr<RollingStates> timedSums(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kWindow = 2;
    if (types.size() < kWindow || isFloating(types[1]) || !isNumeric(types[1]))
        return timedStates<RealSum, 1>(types, constants);
    if (!hasTimedWindow(types, constants, kWindow)) return nullptr;
    using Core = TimedTotal<WideTotal>;
    return std::make_unique<GroupTimed<Core, 1, int64_t>>(Core(), constants[kWindow], Type::Long);
}

Value productColumn(std::span<const Value> vectors, const RowWindow& window) {
    return realColumn<Product, 1>(vectors, window);
}
Value cumulativeProduct(Context&, Arguments arguments) {
    return windowCall(WindowKind::Cumulative, 1, arguments,
                      [](std::span<const Value> vectors, const RowWindow& window) {
                          const Type type = vectors[0].type();
                          if (isFloating(type) || !isNumeric(type) || isDecimal(type))
                              return productColumn(vectors, window);
                          return wholeColumn<RunningIntegerProduct>(vectors[0].vector(), window);
                      });
}

// The product of all integers so far.
class RunningFactors {
public:
    int64_t next(int64_t x) {
        if (isNull(x)) return hasAny_ ? product_.result() : null<int64_t>;
        product_.add(x);
        hasAny_ = true;
        return product_.result();
    }
    int64_t memoryBytes() const { return 0; }

private:
    IntegerProduct product_;
    bool hasAny_ = false;
};

std::unique_ptr<RollingStates> productStates(std::span<const Type> types, std::span<const Value> constants) {
    if (types.empty()) return nullptr;
    if (isFloating(types[0]) || !isNumeric(types[0]))
        return realStates<Product, 1, WindowKind::Cumulative>(types, constants);
    return std::make_unique<GroupRolling<RunningFactors, 1, int64_t, int64_t>>(RunningFactors(), Type::Long);
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
    int32_t* result = out->mutableData<int32_t>();
    slide(
        state, window, x.size(), [&](int64_t i) { return !anyNull || !x.isNullAt(i); },
        [&](int64_t i, bool complete) { result[i] = complete ? static_cast<int32_t>(state.count) : null<int32_t>; });
    return Value::of(out);
}
template <WindowKind kKind>
Value countKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, countColumn, 0, false);
}

// Counts the elements that are not NULL, of any type: they come as 1 or NULL.
class CountedRow {
public:
    explicit CountedRow(const RollingWindow& window) : total_(window) {}
    int32_t next(bool isValid) {
        const int64_t count = total_.next(isValid ? 1 : null<int64_t>);
        return isNull(count) ? null<int32_t> : static_cast<int32_t>(count);
    }
    int64_t memoryBytes() const { return total_.memoryBytes(); }

private:
    SlidingTotal<WideTotal> total_;
};
class RunningCount {
public:
    int32_t next(bool isValid) {
        count_ += isValid ? 1 : 0;
        return count_ > 0 ? count_ : null<int32_t>;
    }
    int64_t memoryBytes() const { return 0; }

private:
    int32_t count_ = 0;
};

template <class Row>
class GroupCounts final : public RollingStates {
public:
    explicit GroupCounts(Row empty) : empty_(std::move(empty)) {}
    void resize(int64_t groups) override { rows_.resize(static_cast<size_t>(groups), empty_); }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Vector& x = arguments[0].vector();
        Ref<Vector> out = Vector::make(Type::Int, count);
        int32_t* result = out->mutableData<int32_t>();
        for (int64_t i = 0; i < count; ++i) result[i] = rows_[static_cast<size_t>(groups[i])].next(!x.isNullAt(i));
        return Value::of(out);
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) rows_[static_cast<size_t>(groups[i])] = empty_;
    }
    void keep(std::span<const int32_t> groups) override { keepGroups(rows_, groups); }
    int64_t memoryBytes() const override {
        const int64_t own = rows_.empty() ? 0 : rows_[0].memoryBytes();
        return static_cast<int64_t>(rows_.size()) * (own + static_cast<int64_t>(sizeof(Row)));
    }

private:
    const Row empty_;
    std::vector<Row> rows_;
};

template <WindowKind kKind>
std::unique_ptr<RollingStates> countStates(std::span<const Type>, std::span<const Value> constants) {
    if constexpr (kKind == WindowKind::Cumulative) {
        return std::make_unique<GroupCounts<RunningCount>>(RunningCount());
    } else {
        const auto window = rollingWindow(constants, 1, false);
        return window ? std::make_unique<GroupCounts<CountedRow>>(CountedRow(*window)) : nullptr;
    }
}

// mavg(X, weights): the window is as long as the weights.
Value meanKernel(Context& context, Arguments arguments) {
    if (!arguments[1].isVector()) return realKernel<Mean, 1, WindowKind::Moving>(context, arguments);
    Ref<Vector> weights = realsArgument(arguments, 1, "window");
    std::vector<Value> call = {arguments[0], Value::ofLong(weights->size()), arguments[2]};
    return windowCall(WindowKind::Moving, 1, call, [&](std::span<const Value> v, const RowWindow& window) {
        Ref<Vector> x = windowReals(v[0], 0);
        const double* elements = x->data<double>();
        const double* w = weights->data<double>();
        int64_t length = weights->size();
        struct Nothing {
            void add(int64_t) {}
            void remove(int64_t) {}
        } state;
        Ref<Vector> out = Vector::make(Type::Double, x->size());
        double* result = out->mutableData<double>();
        slide(
            state, window, x->size(), [&](int64_t i) { return !isNull(elements[i]); },
            [&](int64_t i, bool complete) {
                checkCancelled();  // a row takes as long as the window is
                double sum = 0, total = 0;
                for (int64_t k = window.first(i); k <= i && complete; ++k) {
                    if (isNull(elements[k])) continue;
                    sum += elements[k] * w[length - 1 - (i - k)];
                    total += w[length - 1 - (i - k)];
                }
                result[i] = complete && total != 0 ? sum / total : null<double>;
            });
        return Value::of(out);
    });
}

// mskew(X, window, [biased=true], [minPeriods]), tmskew(T, X, window, [biased=true]), cumskew(X, [biased=true])
template <bool kKurtosis, WindowKind kKind>
Value shapeKernel(Context&, Arguments a) {
    constexpr size_t kBiased = kKind == WindowKind::Timed ? 3 : kKind == WindowKind::Moving ? 2 : 1;
    bool biased = flagArgument(a, kBiased, "biased", true);
    std::vector<Value> call(a.begin(), a.begin() + kBiased);
    if (kKind == WindowKind::Moving) call.push_back(a[3]);
    return windowCall(kKind, 1, call,
                      biased ? realColumn<Shape<kKurtosis, true>, 1> : realColumn<Shape<kKurtosis, false>, 1>);
}

template <bool kKurtosis>
std::unique_ptr<RollingStates> timedShapes(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kBiased = 3;
    const bool isGiven = kBiased < constants.size() && !constants[kBiased].isVoid();
    if (isGiven && (!constants[kBiased].isScalar() || !constants[kBiased].isNumber())) return nullptr;
    return !isGiven || isTrue(constants[kBiased]) ? timedStates<Shape<kKurtosis, true>, 1>(types, constants)
                                                  : timedStates<Shape<kKurtosis, false>, 1>(types, constants);
}

template <WindowKind kKind>
Value drawDownKernel(Context&, Arguments a) {
    bool relative = flagArgument(a, 1, "ratio", true);
    return windowCall(kKind, 1, a.first(1), relative ? realColumn<DrawDown<true>, 1> : realColumn<DrawDown<false>, 1>);
}

std::unique_ptr<RollingStates> runningDrawDowns(std::span<const Type> types, std::span<const Value> constants) {
    auto a = rollingConstants(types, constants, 1);
    if (!a) return nullptr;
    return flagArgument(*a, 1, "ratio", true)
               ? realStates<DrawDown<true>, 1, WindowKind::Cumulative>(types, constants)
               : realStates<DrawDown<false>, 1, WindowKind::Cumulative>(types, constants);
}

// The line through the pairs of the window: intercepts and slopes, as a tuple.
template <WindowKind kKind>
Value lineKernel(Context&, Arguments a) {
    auto of = [](bool slope) {
        return [slope](std::span<const Value> vectors, const RowWindow& window) {
            Ref<Vector> out = Vector::make(Type::Double, vectors[0].size());
            overStates<Comoments, 2>(vectors, window, [&](int64_t i, const Comoments* s) {
                bool none = !s || s->count < 2 || s->m2Y == 0;
                double b = none ? null<double> : s->cXY / s->m2Y;
                out->mutableData<double>()[i] = none || slope ? b : s->centerX() - b * s->centerY();
            });
            return Value::of(out);
        };
    };
    std::vector<Value> first(a.begin(), a.end()), second = first;
    return Value::of(makeRef<Tuple>(
        std::vector<Value>{windowCall(kKind, 2, first, of(false)), windowCall(kKind, 2, second, of(true))}));
}

template <class State>
void addOne(FunctionRegistry& registry, const char* m, const char* tm, const char* cum, const char* summary,
            const char* mExample, const char* tmExample, const char* cumExample) {
    const TypeRule real = is(Type::Double);
    addWindowFunction(registry, m, realKernel<State, 1, WindowKind::Moving>, summary, mExample, real,
                      realStates<State, 1, WindowKind::Moving>);
    addWindowFunction(registry, tm, realKernel<State, 1, WindowKind::Timed>, summary, tmExample, real,
                      timedStates<State, 1>);
    addWindowFunction(registry, cum, realKernel<State, 1, WindowKind::Cumulative>, summary, cumExample, real,
                      realStates<State, 1, WindowKind::Cumulative>);
}

template <class State>
void addTwo(FunctionRegistry& registry, const char* m, const char* tm, const char* cum, const char* summary,
            const char* mExample, const char* tmExample, const char* cumExample) {
    const TypeRule real = is(Type::Double);
    addWindowFunction(registry, m, realKernel<State, 2, WindowKind::Moving>, summary, mExample, real,
                      realStates<State, 2, WindowKind::Moving>);
    addWindowFunction(registry, tm, realKernel<State, 2, WindowKind::Timed>, summary, tmExample, real,
                      timedStates<State, 2>);
    addWindowFunction(registry, cum, realKernel<State, 2, WindowKind::Cumulative>, summary, cumExample, real,
                      realStates<State, 2, WindowKind::Cumulative>);
}

}  // namespace

void registerWindows(FunctionRegistry& registry) {
    constexpr WindowKind m = WindowKind::Moving, tm = WindowKind::Timed, cum = WindowKind::Cumulative;
    const char* sum = "The sum of the window: LONG for integers, DOUBLE for floats.";
    addWindowFunction(registry, "msum(X, window, [minPeriods])", sumKernel<m>, sum,
                      "msum(2 1 3 NULL 6 5 4, 3) -> [,,6,4,9,11,15]\nmsum(1 2 3, 2, 1) -> [1,3,5]", wideOf(0),
                      sumStates<m>);
    addWindowFunction(registry, "tmsum(T, X, window)", sumKernel<tm>, sum, "tmsum(1 1 2 5, 1 2 3 4, 2) -> [1,3,6,4]",
                      wideOf(1), timedSums);
    addWindowFunction(registry, "cumsum(X)", sumKernel<cum>, sum, "cumsum(1 NULL 3) -> [1,1,4]", wideOf(0),
                      sumStates<cum>);
    addWindowFunction(registry, "mavg(X, window, [minPeriods])", meanKernel,
                      "The mean of the window; with a vector of weights in place of the window, their weighted mean.",
                      "mavg(1 2 3 4, 2) -> [,1.5,2.5,3.5]", is(Type::Double), realStates<Mean, 1, m>);
    addWindowFunction(registry, "tmavg(T, X, window)", realKernel<Mean, 1, tm>, "The mean of the window.",
                      "tmavg(1 2 5, 1 2 4, 2) -> [1,1.5,4]", is(Type::Double), timedStates<Mean, 1>);
    addWindowFunction(registry, "cumavg(X)", realKernel<Mean, 1, cum>, "The mean of the rows so far.",
                      "cumavg(1 2 6) -> [1,1.5,3]", is(Type::Double), realStates<Mean, 1, cum>);
    addWindowFunction(registry, "mcount(X, window, [minPeriods=1])", countKernel<m>,
                      "How many elements of the window are not NULL, as INT.", "mcount(1 NULL 3, 2) -> [1,1,1]",
                      is(Type::Int), countStates<m>);
    addWindowFunction(registry, "tmcount(T, X, window)", countKernel<tm>,
                      "How many elements of the window are not NULL, as INT.",
                      "tmcount(1 2 5 6, 1 2 4 8, 2) -> [1,2,1,2]", is(Type::Int));
    addWindowFunction(registry, "cumcount(X)", countKernel<cum>, "How many elements so far are not NULL, as INT.",
                      "cumcount(1 NULL 3) -> [1,1,2]", is(Type::Int), countStates<cum>);
    addOne<PowerSum<2>>(registry, "msum2(X, window, [minPeriods])", "tmsum2(T, X, window)", "cumsum2(X)",
                        "The sum of squares.", "msum2(1 2 3, 2) -> [,5,13]",
                        "tmsum2(1 2 5 6, 1 2 4 8, 2) -> [1,5,16,80]", "cumsum2(1 2) -> [1,5]");
    addWindowFunction(registry, "cumsum3(X)", realKernel<PowerSum<3>, 1, cum>, "The sum of cubes of the rows so far.",
                      "cumsum3(1 2) -> [1,9]", is(Type::Double), realStates<PowerSum<3>, 1, cum>);
    addWindowFunction(registry, "cumsum4(X)", realKernel<PowerSum<4>, 1, cum>,
                      "The sum of fourth powers of the rows so far.", "cumsum4(1 2) -> [1,17]", is(Type::Double),
                      realStates<PowerSum<4>, 1, cum>);
    addOne<StandardDeviation>(registry, "mstd(X, window, [minPeriods])", "tmstd(T, X, window)", "cumstd(X)",
                              "The standard deviation of a sample.", "mstd(1 2 3 5, 3) -> [,,1,1.527525]",
                              "tmstd(1 2 5 6, 1 2 4 8, 2) -> [,0.707107,,2.828427]", "cumstd(1 2 3) -> [,0.707107,1]");
    addOne<PopulationDeviation>(registry, "mstdp(X, window, [minPeriods])", "tmstdp(T, X, window)", "cumstdp(X)",
                                "The standard deviation of a population.", "mstdp(1 3, 2) -> [,1]",
                                "tmstdp(1 2 5 6, 1 2 4 8, 2) -> [0,0.5,0,2]", "cumstdp(1 3) -> [0,1]");
    addOne<Variance>(registry, "mvar(X, window, [minPeriods])", "tmvar(T, X, window)", "cumvar(X)",
                     "The variance of a sample.", "mvar(1 2 3, 3) -> [,,1]", "tmvar(1 2 5 6, 1 2 4 8, 2) -> [,0.5,,8]",
                     "cumvar(1 2 3) -> [,0.5,1]");
    addOne<PopulationVariance>(registry, "mvarp(X, window, [minPeriods])", "tmvarp(T, X, window)", "cumvarp(X)",
                               "The variance of a population.", "mvarp(1 3, 2) -> [,1]",
                               "tmvarp(1 2 5 6, 1 2 4 8, 2) -> [0,0.25,0,4]", "cumvarp(1 3) -> [0,1]");
    addWindowFunction(registry, "mskew(X, window, [biased=true], [minPeriods])", shapeKernel<false, m>, "The skewness.",
                      "mskew(1 2 6, 3) -> [,,0.59517]");
    addWindowFunction(registry, "tmskew(T, X, window, [biased=true])", shapeKernel<false, tm>, "The skewness.",
                      "tmskew(1 2 3 4 5, 1 2 4 8 7, 4) -> [,0,0.381802,0.656808,-0.186618]", is(Type::Double),
                      timedShapes<false>);
    addWindowFunction(registry, "mkurtosis(X, window, [biased=true], [minPeriods])", shapeKernel<true, m>,
                      "The kurtosis, of a normal sample about 3.", "mkurtosis(1 2 3 4, 4) -> [,,,1.64]");
    addWindowFunction(registry, "tmkurtosis(T, X, window, [biased=true])", shapeKernel<true, tm>,
                      "The kurtosis, of a normal sample about 3.",
                      "tmkurtosis(1 2 3 4, 1 2 4 8, 4) -> [,,1.5,1.901021]", is(Type::Double), timedShapes<true>);
    addWindowFunction(registry, "cummdd(X, [ratio=true])", drawDownKernel<cum>,
                      "The deepest fall of X below its highest element so far, relative to that element or as it is.",
                      "cummdd(4 2 8 2) -> [0,0.5,0.5,0.75]", is(Type::Double), runningDrawDowns);
    addWindowFunction(registry, "mslr(Y, X, window, [minPeriods])", lineKernel<m>,
                      "The intercept and the slope of the regression of Y on X in the window, as a tuple.",
                      "mslr(1 3 5, 0 1 2, 2) -> ([,1,1],[,2,2])", varying());
    addWindowFunction(registry, "mprod(X, window, [minPeriods])", realKernel<Product, 1, m>,
                      "The product of the window, as DOUBLE.", "mprod(1 2 3 4, 2) -> [,2,6,12]", is(Type::Double),
                      realStates<Product, 1, m>);
    addWindowFunction(registry, "tmprod(T, X, window)", realKernel<Product, 1, tm>,
                      "The product of the window, as DOUBLE.", "tmprod(1 2 5 6, 1 2 4 8, 2) -> [1,2,4,32]",
                      is(Type::Double), timedStates<Product, 1>);
    addWindowFunction(registry, "cumprod(X)", cumulativeProduct,
                      "The product of the rows so far: LONG for integers, NULL where none holds it.",
                      "cumprod(1 2 3) -> [1,2,6]", wideOf(0), productStates);

    addTwo<Correlation>(registry, "mcorr(X, Y, window, [minPeriods])", "tmcorr(T, X, Y, window)", "cumcorr(X, Y)",
                        "The correlation of X and Y.", "mcorr(1 2 3, 2 4 6, 3) -> [,,1]",
                        "tmcorr(1 2 5 6, 1 2 4 8, 1 3 2 5, 2) -> [,1,,1]",
                        "cumcorr(1 2 4 8, 1 3 2 5) -> [,1,0.327327,0.866921]");
    addTwo<Covariance>(registry, "mcovar(X, Y, window, [minPeriods])", "tmcovar(T, X, Y, window)", "cumcovar(X, Y)",
                       "The covariance of a sample.", "mcovar(1 2 3, 2 4 6, 3) -> [,,2]",
                       "tmcovar(1 2 5 6, 1 2 4 8, 1 3 2 5, 2) -> [,1,,6]",
                       "cumcovar(1 2 4 8, 1 3 2 5) -> [,1,0.5,4.583333]");
    addTwo<PopulationCovariance>(registry, "mcovarp(X, Y, window, [minPeriods])", "tmcovarp(T, X, Y, window)",
                                 "cumcovarp(X, Y)", "The covariance of a population.", "mcovarp(1 3, 2 4, 2) -> [,1]",
                                 "tmcovarp(1 2 5 6, 1 2 4 8, 1 3 2 5, 2) -> [0,0.5,0,3]",
                                 "cumcovarp(1 2 4 8, 1 3 2 5) -> [0,0.5,0.333333,3.4375]");
    addTwo<Beta>(registry, "mbeta(Y, X, window, [minPeriods])", "tmbeta(T, Y, X, window)", "cumbeta(Y, X)",
                 "The slope of the regression of Y on X.",
                 "mbeta(0.016 0.009 -0.012 0.022 0.003 -0.056 0.002, 0.011 0.006 -0.008 0.012 -0.016 "
                 "-0.023 0.018, 5) -> [,,,,0.818182,1.692379,1.188532]",
                 "tmbeta(1 2 5 6, 1 2 4 8, 1 3 2 5, 2) -> [,0.5,,1.333333]",
                 "cumbeta(1 2 4 8, 1 3 2 5) -> [,0.5,0.5,1.571429]");
    addTwo<WeightedSum>(registry, "mwsum(X, Y, window, [minPeriods])", "tmwsum(T, X, Y, window)", "cumwsum(X, Y)",
                        "The sum of X * Y.", "mwsum(1 2 3, 1 1 2, 2) -> [,3,8]",
                        "tmwsum(1 2 5 6, 1 2 4 8, 1 3 2 5, 2) -> [1,7,8,48]",
                        "cumwsum(1 2 4 8, 1 3 2 5) -> [1,7,15,55]");
    addTwo<WeightedMean>(registry, "mwavg(X, Y, window, [minPeriods])", "tmwavg(T, X, Y, window)", "cumwavg(X, Y)",
                         "The mean of X weighted by Y.", "mwavg(1 2 3, 1 1 3, 2) -> [,1.5,2.75]",
                         "tmwavg(1 2 5 6, 1 2 4 8, 1 3 2 5, 2) -> [1,1.75,4,6.857143]",
                         "cumwavg(1 2 4 8, 1 3 2 5) -> [1,1.75,2.5,5]");
}

}  // namespace pelorus
