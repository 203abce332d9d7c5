// Windows that search for a value: extremes, ends, medians and ranks.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/kernel/elementwise/operators.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/rolling/kept_elements.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/quantile.h"
#include "stdlib/window/rolling_order.h"
#include "stdlib/window/running_ranks.h"
#include "stdlib/window/sliding_rows.h"
#include "stdlib/window/timed_rows.h"
#include "stdlib/window/window_call.h"
#include "stdlib/window/window_family.h"
#include "stdlib/window/window_ranks.h"

namespace pelorus {

namespace {

// Rows of the extremes, by the order of integers or of floats.
template <bool kMax, bool kLast, class T, class Put>
void extremeRows(const Vector& elements, const RowWindow& window, Put put) {
    const T* x = elements.data<T>();
    RollingExtreme<kMax, kLast, const T*> state(x);
    slide(
        state, window, elements.size(), [&](int64_t i) { return !isNull(x[i]); },
        [&](int64_t i, bool complete, int64_t count) { put(i, complete ? state.row() : -1, count); });
}

template <bool kMax, bool kLast, class Put>
void forExtremes(const Vector& elements, const RowWindow& window, Put put) {
    if (isFloating(elements.type())) {
        extremeRows<kMax, kLast, double>(*cast(elements, Type::Double), window, put);
    } else if (isNumeric(elements.type())) {
        extremeRows<kMax, kLast, int64_t>(*cast(elements, Type::Long), window, put);
    } else if (isDecimal(elements.type()) && elements.width() <= 8) {
        Ref<Vector> raw = Vector::make(Type::Long, elements.size());
        for (int64_t i = 0; i < elements.size(); ++i) {
            raw->mutableData<int64_t>()[i] =
                elements.isNullAt(i) ? null<int64_t> : static_cast<int64_t>(elements.rawAt(i));
        }
        extremeRows<kMax, kLast, int64_t>(*raw, window, put);
    } else if (isDecimal(elements.type())) {
        extremeRows<kMax, kLast, double>(*cast(elements, Type::Double), window, put);
    } else if (isTemporal(elements.type())) {
        Ref<Vector> stored = cast(elements, widthOf(elements.type()) == 8 ? Type::Long : Type::Int);
        extremeRows<kMax, kLast, int64_t>(*cast(*stored, Type::Long), window, put);
    } else {
        throw UserError(0, fmt::format("X must be numeric or temporal, but it is {}.", typeName(elements.type())));
    }
}

template <bool kMax>
Value extremeColumn(std::span<const Value> vectors, const RowWindow& window) {
    const Vector& elements = vectors[0].vector();
    std::vector<int32_t> rows(static_cast<size_t>(elements.size()));
    forExtremes<kMax, false>(elements, window, [&](int64_t i, int64_t row, int64_t) {
        rows[static_cast<size_t>(i)] = static_cast<int32_t>(row);
    });
    return Value::of(elements.gather(rows.data(), elements.size()));
}
template <bool kMax, WindowKind kKind>
Value extremeKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, extremeColumn<kMax>);
}

// The last rows of a group with their extreme, by the order of integers or of floats.
template <bool kMax, bool kLast, class T>
class LastRows {
public:
    explicit LastRows(const RollingWindow& window) : window_(window), state_(Ring<T>(window.length + 1)) {}

    void take(T x) {
        Ring<T>& rows = state_.elements();
        rows.put(++row_, x);
        if (!isNull(x)) {
            state_.add(row_);
            ++valid_;
        }
        if (const int64_t leaving = row_ - window_.length; leaving >= 0 && !isNull(rows[leaving])) {
            state_.remove(leaving);
            --valid_;
        }
    }
    // These tell of the window of the row that was taken last.
    bool isComplete() const { return window_.complete(row_, valid_); }
    bool isLeading() const { return window_.leadingNulls && row_ + 1 < window_.length; }
    bool hasValues() const { return valid_ > 0; }
    // REQUIRES: isComplete().
    T extreme() { return state_.elements()[state_.row()]; }
    int32_t position() const {
        return static_cast<int32_t>(state_.row() - std::max<int64_t>(0, row_ - window_.length + 1));
    }
    int64_t memoryBytes() const { return window_.length * static_cast<int64_t>(sizeof(T)); }

private:
    RollingWindow window_;
    RollingExtreme<kMax, kLast, Ring<T>> state_;
    int64_t row_ = -1, valid_ = 0;
};

template <bool kMax, class T>
class ExtremeRow {
public:
    explicit ExtremeRow(const RollingWindow& window) : rows_(window) {}
    T next(T x) {
        rows_.take(x);
        return rows_.isComplete() ? rows_.extreme() : null<T>;
    }
    int64_t memoryBytes() const { return rows_.memoryBytes(); }

private:
    LastRows<kMax, false, T> rows_;
};

// The extreme of all rows so far.
template <bool kMax, class T>
class RunningExtreme {
public:
    T next(T x) {
        if (!isNull(x) && (isNull(extreme_) || (kMax ? x > extreme_ : x < extreme_))) extreme_ = x;
        return extreme_;
    }
    int64_t memoryBytes() const { return 0; }

private:
    T extreme_ = null<T>;
};

template <bool kMax, WindowKind kKind, class T>
std::unique_ptr<RollingStates> extremesOf(Type type, std::span<const Value> constants) {
    if constexpr (kKind == WindowKind::Cumulative) {
        return std::make_unique<GroupRolling<RunningExtreme<kMax, T>, 1, T, T>>(RunningExtreme<kMax, T>(), type);
    } else {
        const auto window = rollingWindow(constants, 1);
        if (!window) return nullptr;
        return std::make_unique<GroupRolling<ExtremeRow<kMax, T>, 1, T, T>>(ExtremeRow<kMax, T>(*window), type);
    }
}

template <bool kMax, WindowKind kKind>
std::unique_ptr<RollingStates> extremeStates(std::span<const Type> types, std::span<const Value> constants) {
    if (types.empty() || !isNumeric(types[0]) || types[0] == Type::Bool) return nullptr;
    return isFloating(types[0]) ? extremesOf<kMax, kKind, double>(types[0], constants)
                                : extremesOf<kMax, kKind, int64_t>(types[0], constants);
}

template <bool kMax>
std::unique_ptr<RollingStates> timedExtremes(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kWindow = 2;
    if (types.size() < kWindow || !isNumeric(types[1]) || types[1] == Type::Bool) return nullptr;
    if (!hasTimedWindow(types, constants, kWindow)) return nullptr;
    if (isFloating(types[1])) {
        using Core = TimedExtreme<kMax, double>;
        return std::make_unique<GroupTimed<Core, 1, double>>(Core(), constants[kWindow], types[1]);
    }
    using Core = TimedExtreme<kMax, int64_t>;
    return std::make_unique<GroupTimed<Core, 1, int64_t>>(Core(), constants[kWindow], types[1]);
}

// The position in a window that holds only NULLs is -1.
int32_t positionOf(int64_t row, int64_t i, const RowWindow& window, int64_t count) {
    if (row >= 0) return static_cast<int32_t>(row - window.first(i));
    return window.isLeading(i) || count > 0 ? null<int32_t> : -1;
}

template <bool kMax, bool kLast>
Value extremePositionColumn(std::span<const Value> vectors, const RowWindow& window) {
    const Vector& elements = vectors[0].vector();
    Ref<Vector> out = Vector::make(Type::Int, elements.size());
    int32_t* result = out->mutableData<int32_t>();
    forExtremes<kMax, kLast>(elements, window, [&](int64_t i, int64_t row, int64_t count) {
        result[i] = positionOf(row, i, window, count);
    });
    return Value::of(out);
}
template <bool kMax, bool kLast, WindowKind kKind>
Value extremePositionKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, extremePositionColumn<kMax, kLast>);
}

template <bool kMax, bool kLast, class T>
class ExtremePositionRow {
public:
    explicit ExtremePositionRow(const RollingWindow& window) : rows_(window) {}
    int32_t next(T x) {
        rows_.take(x);
        if (rows_.isComplete()) return rows_.position();
        return rows_.isLeading() || rows_.hasValues() ? null<int32_t> : -1;
    }
    int64_t memoryBytes() const { return rows_.memoryBytes(); }

private:
    LastRows<kMax, kLast, T> rows_;
};

template <bool kMax, bool kLast>
std::unique_ptr<RollingStates> extremePositionStates(std::span<const Type> types, std::span<const Value> constants) {
    if (types.empty() || !isNumeric(types[0]) || types[0] == Type::Bool) return nullptr;
    const auto window = rollingWindow(constants, 1);
    if (!window) return nullptr;
    if (isFloating(types[0])) {
        using Row = ExtremePositionRow<kMax, kLast, double>;
        return std::make_unique<GroupRolling<Row, 1, double, int32_t>>(Row(*window), Type::Int);
    }
    using Row = ExtremePositionRow<kMax, kLast, int64_t>;
    return std::make_unique<GroupRolling<Row, 1, int64_t, int32_t>>(Row(*window), Type::Int);
}

// The element at one end of the window, or the nearest to it that is not NULL.
enum class End : uint8_t { First, Last, FirstNot, LastNot };

// Calls put(row, row of the end or -1, count).
template <End kEnd, class Put>
void forEnds(const Vector& x, const RowWindow& window, Put put) {
    struct Ends {
        void add(int64_t) {}
        void remove(int64_t) {}
    } state;
    constexpr bool kSkips = kEnd == End::FirstNot || kEnd == End::LastNot;
    int64_t lastValid = -1, firstValid = 0;
    slide(
        state, window, x.size(), [&](int64_t i) { return !kSkips || !x.isNullAt(i); },
        [&](int64_t i, bool complete, int64_t count) {
            if (kSkips && !x.isNullAt(i)) lastValid = i;
            int64_t first = window.first(i);
            firstValid = std::max(firstValid, first);
            while (kEnd == End::FirstNot && firstValid < i && x.isNullAt(firstValid)) ++firstValid;
            int64_t row = kEnd == End::First      ? first
                          : kEnd == End::Last     ? i
                          : kEnd == End::FirstNot ? firstValid
                                                  : lastValid;
            put(i, complete ? row : -1, count);
        });
}

template <End kEnd>
Value endColumn(std::span<const Value> vectors, const RowWindow& window) {
    const Vector& x = vectors[0].vector();
    std::vector<int32_t> rows(static_cast<size_t>(x.size()), -1);
    forEnds<kEnd>(x, window,
                  [&](int64_t i, int64_t row, int64_t) { rows[static_cast<size_t>(i)] = static_cast<int32_t>(row); });
    return Value::of(x.gather(rows.data(), x.size()));
}
template <End kEnd>
Value endPositionColumn(std::span<const Value> vectors, const RowWindow& window) {
    const Vector& x = vectors[0].vector();
    Ref<Vector> out = Vector::make(Type::Int, x.size());
    forEnds<kEnd>(x, window, [&](int64_t i, int64_t row, int64_t count) {
        out->mutableData<int32_t>()[i] = positionOf(row, i, window, count);
    });
    return Value::of(out);
}
template <End kEnd, WindowKind kKind>
Value endPositionKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, endPositionColumn<kEnd>);
}
template <End kEnd, WindowKind kKind>
Value endKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, endColumn<kEnd>);
}

// mfirstNot(X, window, [k], [minPeriods]), cumfirstNot(X, [k]): values equal to k are skipped as NULLs are.
template <End kEnd, WindowKind kKind>
Value endNotKernel(Context& context, Arguments a) {
    constexpr bool kMoving = kKind == WindowKind::Moving;
    constexpr size_t kSkipped = kMoving ? 2 : 1;
    const bool skips = isGiven(a, kSkipped);
    if (skips && !a[kSkipped].isScalar()) refuseArgument(kSkipped, "k", "a scalar", a[kSkipped]);
    std::vector<Value> call = {a[0]};
    if (kMoving && skips && isGiven(a, 3)) {
        // Skipped values count as observed.
        FunctionRegistry& registry = FunctionRegistry::instance();
        std::vector<Value> counted = {a[0], a[1], Value::ofInt(1)};
        const Value counts = registry.get("mcount").call(context, counted);
        const Value few = applyBinary(Operator::Lt, counts, a[3]);
        std::vector<Value> first = {a[0], a[2]};
        const Value kept = registry.get("nullIf").call(context, first);
        std::vector<Value> inner = {kept, a[1], Value::ofInt(1)};
        const Value result = windowCall(kKind, 1, inner, endColumn<kEnd>);
        return selectItems(few, Value::nullOf(result.type()), result);
    }
    if (kMoving) call.insert(call.end(), {a[1], a[3]});
    return windowCall(kKind, 1, call, [&](std::span<const Value> v, const RowWindow& window) {
        if (!skips) return endColumn<kEnd>(v, window);
        std::vector<Value> elements = {v[0], a[kSkipped]};
        const Value kept = FunctionRegistry::instance().get("nullIf").call(context, elements);
        return endColumn<kEnd>({&kept, 1}, window);
    });
}

// The states of cumfirstNot and cumlastNot: elements that count, each until the next one or for good.
template <End kEnd>
class RunningEnds final : public RollingStates {
public:
    RunningEnds(Type type, Value skipped)
        : skipped_(std::move(skipped)), fill_(makeFillStates(type, std::numeric_limits<int64_t>::max())) {}

    void resize(int64_t groups) override {
        fill_->resize(groups);
        hasFirst_.resize(static_cast<size_t>(groups));
    }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        Value x = arguments[0];
        if (!skipped_.isVoid())
            x = selectItems(applyBinary(Operator::Eq, x, skipped_), Value::nullOf(x.type()), arguments[0]);
        if constexpr (kEnd == End::FirstNot) {
            Ref<Vector> firsts = x.vector().copy();
            for (int64_t i = 0; i < count; ++i) {
                int8_t& hasFirst = hasFirst_[static_cast<size_t>(groups[i])];
                if (hasFirst) firsts->set(i, Value());
                hasFirst = hasFirst || !firsts->isNullAt(i);
            }
            x = Value::of(firsts);
        }
        return fill_->step({&x, 1}, groups, count);
    }
    void clear(const int32_t* groups, int64_t count) override {
        fill_->clear(groups, count);
        for (int64_t i = 0; i < count; ++i) hasFirst_[static_cast<size_t>(groups[i])] = 0;
    }
    void keep(std::span<const int32_t> groups) override {
        fill_->keep(groups);
        keepGroups(hasFirst_, groups);
    }
    int64_t memoryBytes() const override { return fill_->memoryBytes() + std::ssize(hasFirst_); }

private:
    const Value skipped_;  // VOID when only NULLs are
    const std::unique_ptr<RollingStates> fill_;
    std::vector<int8_t> hasFirst_;
};

template <End kEnd>
std::unique_ptr<RollingStates> runningEnds(std::span<const Type> types, std::span<const Value> constants) {
    const auto a = rollingConstants(types, constants, 1);
    const bool isColumn = !types.empty() && types[0] != Type::Void && !isArrayType(types[0]);
    if (!a || !isColumn) return nullptr;
    const Value skipped = a->size() > 1 ? (*a)[1] : Value();
    if (!skipped.isVoid() && !skipped.isScalar()) return nullptr;
    return std::make_unique<RunningEnds<kEnd>>(types[0], skipped);
}

Value quantileColumn(const Value& v, const RowWindow& window, double q,
                     Interpolation interpolation = Interpolation::Linear) {
    Ref<Vector> x = windowReals(v, 0);
    RollingColumns columns{x->data<double>(), nullptr};
    RollingOrder state(columns, x->size(), window.longest(x->size()));
    Ref<Vector> out = Vector::make(Type::Double, x->size());
    double* result = out->mutableData<double>();
    slide(
        state, window, x->size(), [&](int64_t i) { return columns.valid(i); },
        [&](int64_t i, bool complete) { result[i] = complete ? quantileIn(state, q, interpolation) : null<double>; });
    return Value::of(out);
}

template <WindowKind kKind>
Value medianKernel(Context&, Arguments arguments) {
    return windowCall(kKind, 1, arguments, [](std::span<const Value> v, const RowWindow& window) {
        return quantileColumn(v[0], window, 0.5);
    });
}

// mpercentile(X, percent, window, [interpolation], [minPeriods]), tmpercentile(T, X, percent, window, [interpolation]),
// cumpercentile(X, percent, [interpolation])
template <WindowKind kKind>
Value percentileKernel(Context&, Arguments a) {
    constexpr size_t kPercent = kKind == WindowKind::Timed ? 2 : 1;
    constexpr bool kCumulative = kKind == WindowKind::Cumulative;
    double percent = realArgument(a, kPercent, "percent");
    if (percent < 0 || percent > 100) refuseArgument(kPercent, "percent", "between 0 and 100", a[kPercent]);
    Interpolation interpolation = interpolationArgument(a, kPercent + (kCumulative ? 1 : 2));
    std::vector<Value> call(a.begin(), a.begin() + kPercent);
    if (!kCumulative) call.push_back(a[kPercent + 1]);
    if (kKind == WindowKind::Moving) call.push_back(a[kPercent + 3]);
    return windowCall(kKind, 1, call, [&](std::span<const Value> v, const RowWindow& window) {
        return quantileColumn(v[0], window, percent / 100, interpolation);
    });
}

Value rankColumn(const Value& v, const RowWindow& window, const RankOptions& options) {
    Ref<Vector> x = windowReals(v, 0);
    RollingColumns columns{x->data<double>(), nullptr};
    RollingOrder state(columns, x->size(), window.longest(x->size()));
    int64_t n = x->size(), nullsInside = 0, begin = 0;
    std::vector<double> ranks(static_cast<size_t>(n), null<double>);
    slide(
        state, window, n, [&](int64_t i) { return columns.valid(i); },
        [&](int64_t i, bool complete) {
            nullsInside += columns.valid(i) ? 0 : 1;
            for (; begin < window.first(i); ++begin) nullsInside -= columns.valid(begin) ? 0 : 1;
            double element = columns.x[i];
            bool isNullElement = isNull(element);
            if (isNullElement && options.ignoreNA) return;
            if (!complete && (options.ignoreNA || !window.complete(i, state.count() + nullsInside))) return;
            const int64_t nulls = options.ignoreNA ? 0 : nullsInside;
            ranks[static_cast<size_t>(i)] = rankIn(state, element, isNullElement, nulls, options);
        });
    Ref<Vector> out = Vector::of(Type::Double, ranks);
    return Value::of(options.givesReals() ? out : cast(*out, Type::Int));
}

// mrank(X, ascending, window, [ignoreNA], [tiesMethod], [percent], [minPeriods])
Value movingRankKernel(Context&, Arguments arguments) {
    const RankOptions options = RankOptions::given(arguments, 1, 3);
    std::vector<Value> call = {arguments[0], arguments[2], arguments[6]};
    return windowCall(WindowKind::Moving, 1, call, [&](std::span<const Value> v, const RowWindow& window) {
        return rankColumn(v[0], window, options);
    });
}

// tmrank(T, X, ascending, window, [ignoreNA], [tiesMethod], [percent])
Value timedRankKernel(Context&, Arguments arguments) {
    const RankOptions options = RankOptions::given(arguments, 2, 4);
    std::vector<Value> call = {arguments[0], arguments[1], arguments[3]};
    return windowCall(WindowKind::Timed, 1, call, [&](std::span<const Value> v, const RowWindow& window) {
        return rankColumn(v[0], window, options);
    });
}

Value cumulativeRankKernel(Context&, Arguments arguments) {
    const RankOptions options = RankOptions::given(arguments, 1, 2);
    return windowCall(WindowKind::Cumulative, 1, arguments, [&](std::span<const Value> v, const RowWindow& window) {
        return rankColumn(v[0], window, options);
    });
}

// Returns the mean distance from the mean, or the median distance from the median. O(window) per row.
Value movingDeviationKernel(Context&, Arguments arguments) {
    bool useMedian = flagArgument(arguments, 2, "useMedian", false);
    std::vector<Value> call = {arguments[0], arguments[1], arguments[3]};
    return windowCall(WindowKind::Moving, 1, call, [&](std::span<const Value> v, const RowWindow& window) {
        Ref<Vector> x = windowReals(v[0], 0);
        const double* elements = x->data<double>();
        struct Nothing {
            void add(int64_t) {}
            void remove(int64_t) {}
        } state;
        Ref<Vector> out = Vector::make(Type::Double, x->size());
        double* result = out->mutableData<double>();
        std::vector<double> inside;
        auto middle = [&] {
            auto half = inside.begin() + static_cast<ptrdiff_t>(inside.size() / 2);
            std::nth_element(inside.begin(), half, inside.end());
            if (inside.size() % 2 == 1) return *half;
            return (*half + *std::max_element(inside.begin(), half)) / 2;
        };
        slide(
            state, window, x->size(), [&](int64_t i) { return !isNull(elements[i]); },
            [&](int64_t i, bool complete) {
                result[i] = null<double>;
                if (!complete) return;
                checkCancelled();  // a row takes as long as the window is
                inside.clear();
                double sum = 0;
                for (int64_t k = window.first(i); k <= i; ++k) {
                    if (isNull(elements[k])) continue;
                    inside.push_back(elements[k]);
                    sum += elements[k];
                }
                double center = useMedian ? middle() : sum / static_cast<double>(inside.size());
                double total = 0;
                for (double& element : inside) total += element = std::fabs(element - center);
                result[i] = useMedian ? middle() : total / static_cast<double>(inside.size());
            });
        return Value::of(out);
    });
}

}  // namespace

// DOUBLE for percentages and means of ranks, else INT. tiesMethod is argument `ties`, percent the next one.
static ResultType typeOfRanks(const TypeRule& rule, std::span<const TypedArgument> arguments) {
    const auto ties = static_cast<size_t>(rule.first);
    if (ties >= arguments.size()) return ResultType::of(Type::Int);
    const TypedArgument& method = arguments[ties];
    if (method.given && method.type != Type::Void) {
        if (!method.constant || !method.constant->isString()) return {};
        if (method.constant->string() == "average") return ResultType::of(Type::Double);
    }
    return type_rules::ifTrue({.first = static_cast<int8_t>(ties + 1), .type = Type::Double, .otherwise = Type::Int},
                              arguments);
}
static constexpr TypeRule ranksBy(int ties) {
    return {.rule = typeOfRanks, .first = static_cast<int8_t>(ties)};
}

void registerWindowOrder(FunctionRegistry& registry) {
    constexpr WindowKind m = WindowKind::Moving, tm = WindowKind::Timed, cum = WindowKind::Cumulative;

    const char* smallest = "The smallest element of the window, in the type of X.";
    addWindowFunction(registry, "mmin(X, window, [minPeriods])", extremeKernel<false, m>, smallest,
                      "mmin(3 1 2 5, 2) -> [,1,1,2]", same(0), extremeStates<false, m>);
    addWindowFunction(registry, "tmmin(T, X, window)", extremeKernel<false, tm>, smallest,
                      "tmmin(1 2 5 6, 1 2 4 8, 2) -> [1,1,4,4]", same(1), timedExtremes<false>);
    addWindowFunction(registry, "cummin(X)", extremeKernel<false, cum>, "The smallest element so far.",
                      "cummin(3 1 2) -> [3,1,1]", same(0), extremeStates<false, cum>);
    const char* largest = "The largest element of the window, in the type of X.";
    addWindowFunction(registry, "mmax(X, window, [minPeriods])", extremeKernel<true, m>, largest,
                      "mmax(3 1 2 5, 2) -> [,3,2,5]", same(0), extremeStates<true, m>);
    addWindowFunction(registry, "tmmax(T, X, window)", extremeKernel<true, tm>, largest,
                      "tmmax(1 2 5 6, 1 2 4 8, 2) -> [1,2,4,8]", same(1), timedExtremes<true>);
    addWindowFunction(registry, "cummax(X)", extremeKernel<true, cum>, "The largest element so far.",
                      "cummax(1 3 2) -> [1,3,3]", same(0), extremeStates<true, cum>);
    addWindowFunction(registry, "mimin(X, window, [minPeriods])", extremePositionKernel<false, false, m>,
                      "The position of the smallest element in the window, from 0.", "mimin(3 1 2 5, 2) -> [,1,0,0]",
                      is(Type::Int), extremePositionStates<false, false>);
    addWindowFunction(registry, "mimax(X, window, [minPeriods])", extremePositionKernel<true, false, m>,
                      "The position of the largest element in the window, from 0.", "mimax(3 1 2 5, 2) -> [,0,1,1]",
                      is(Type::Int), extremePositionStates<true, false>);
    addWindowFunction(registry, "miminLast(X, window, [minPeriods])", extremePositionKernel<false, true, m>,
                      "The position of the last of the smallest elements in the window, from 0.",
                      "miminLast(3 1 1, 3) -> [,,2]", is(Type::Int), extremePositionStates<false, true>);
    addWindowFunction(registry, "mimaxLast(X, window, [minPeriods])", extremePositionKernel<true, true, m>,
                      "The position of the last of the largest elements in the window, from 0.",
                      "mimaxLast(3 3 1, 3) -> [,,1]", is(Type::Int), extremePositionStates<true, true>);
    addWindowFunction(
        registry, "mifirstNot(X, window, [minPeriods])", endPositionKernel<End::FirstNot, m>,
        "The position of the first element in the window that is not NULL, from 0; -1 when there is none.",
        "mifirstNot(NULL 1 2, 2) -> [,1,0]", is(Type::Int));
    addWindowFunction(registry, "milastNot(X, window, [minPeriods])", endPositionKernel<End::LastNot, m>,
                      "The position of the last element in the window that is not NULL, from 0; -1 when there is none.",
                      "milastNot(1 NULL NULL, 2) -> [,0,-1]", is(Type::Int));
    addWindowFunction(registry,
                      "tmrank(T, X, [ascending=true], window, [ignoreNA=true], [tiesMethod='min'], [percent=false])",
                      timedRankKernel, "The rank of each element in its window, from 0.",
                      "tmrank(1 1 3, 5 2 4, true, 3) -> [0,0,1]", ranksBy(5));
    addWindowFunction(registry, "mfirst(X, window, [minPeriods])", endKernel<End::First, m>,
                      "The first element of the window.", "mfirst(3 1 2, 2) -> [,3,1]", same(0));
    addWindowFunction(registry, "mlast(X, window, [minPeriods])", endKernel<End::Last, m>,
                      "The last element of the window.", "mlast(3 1 2, 2) -> [,1,2]", same(0));
    addWindowFunction(registry, "mfirstNot(X, window, [k], [minPeriods])", endNotKernel<End::FirstNot, m>,
                      "The first element of the window that is neither NULL nor k.",
                      "mfirstNot(NULL 1 2, 2) -> [,1,1]\nmfirstNot(0 5 6, 2, 0) -> [,5,5]", same(0));
    addWindowFunction(registry, "mlastNot(X, window, [k], [minPeriods])", endNotKernel<End::LastNot, m>,
                      "The last element of the window that is neither NULL nor k.",
                      "mlastNot(3 NULL 2, 2) -> [,3,2]\nmlastNot(3 0 2, 2, 0) -> [,3,2]", same(0));
    addWindowFunction(registry, "tmfirst(T, X, window)", endKernel<End::First, tm>, "The first element of the window.",
                      "tmfirst(1 2 5 6, 1 2 4 8, 2) -> [1,1,4,4]", same(1));
    addWindowFunction(registry, "tmlast(T, X, window)", endKernel<End::Last, tm>, "The last element of the window.",
                      "tmlast(1 2 5 6, 1 2 4 8, 2) -> [1,2,4,8]", same(1));
    addWindowFunction(registry, "cumfirstNot(X, [k])", endNotKernel<End::FirstNot, cum>,
                      "The first element so far that is neither NULL nor k.",
                      "cumfirstNot(NULL 1 2) -> [,1,1]\ncumfirstNot(0 5 6, 0) -> [,5,5]", same(0),
                      runningEnds<End::FirstNot>);
    addWindowFunction(registry, "cumlastNot(X, [k])", endNotKernel<End::LastNot, cum>,
                      "The last element so far that is neither NULL nor k.",
                      "cumlastNot(1 NULL 2) -> [1,1,2]\ncumlastNot(1 0 2, 0) -> [1,1,2]", same(0),
                      runningEnds<End::LastNot>);

    addWindowFunction(registry, "mmed(X, window, [minPeriods])", medianKernel<m>, "The median of the window.",
                      "mmed(3 1 2 10, 3) -> [,,2,2]");
    addWindowFunction(registry, "tmmed(T, X, window)", medianKernel<tm>, "The median of the window.",
                      "tmmed(1 2 5 6, 1 2 4 8, 2) -> [1,1.5,4,6]");
    addWindowFunction(registry, "cummed(X)", medianKernel<cum>, "The median of the rows so far.",
                      "cummed(3 1 2) -> [3,2,2]", is(Type::Double), runningMedians);
    addWindowFunction(registry, "mpercentile(X, percent, window, [interpolation='linear'], [minPeriods])",
                      percentileKernel<m>, "The percentile of the window.", "mpercentile(1 2 3, 50, 2) -> [,1.5,2.5]");
    addWindowFunction(registry, "tmpercentile(T, X, percent, window, [interpolation='linear'])", percentileKernel<tm>,
                      "The percentile of the window.", "tmpercentile(1 2 5 6, 1 2 4 8, 50, 2) -> [1,1.5,4,6]");
    addWindowFunction(registry, "cumpercentile(X, percent, [interpolation='linear'])", percentileKernel<cum>,
                      "The percentile of the rows so far.", "cumpercentile(1 2 3, 50) -> [1,1.5,2]", is(Type::Double),
                      runningPercentiles);
    addWindowFunction(
        registry,
        "mrank(X, [ascending=true], window, [ignoreNA=true], [tiesMethod='min'], [percent=false], [minPeriods])",
        movingRankKernel, "The rank of each element in its window, from 0.",
        "mrank(3 2 4 4 4 NULL 1, false, 3) -> [,,0,0,0,,1]", ranksBy(4));
    addWindowFunction(registry, "cumrank(X, [ascending=true], [ignoreNA=true], [tiesMethod='min'], [percent=false])",
                      cumulativeRankKernel, "The rank of each element among the rows so far, from 0.",
                      "cumrank(1 3 2) -> [0,1,1]", ranksBy(3), runningRanks);
    addWindowFunction(registry, "mmad(X, window, [useMedian=false], [minPeriods])", movingDeviationKernel,
                      "The mean distance from the window's mean, or the median distance from its median.",
                      "mmad(1 2 6, 3) -> [,,2]");
}

}  // namespace pelorus
