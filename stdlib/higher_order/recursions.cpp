#include "stdlib/higher_order/recursions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "common/error.h"
#include "runtime/kernel/rolling/calling_states.h"
#include "runtime/registry/registry.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"
#include "stdlib/window/time_axis.h"

namespace pelorus {

namespace {

// Returns the element of an argument in a row; a scalar is that of all rows.
Value elementOf(const Value& argument, int64_t row) {
    return argument.isScalar() ? argument : argument.at(row);
}

// Returns the elements in a row of X: of one column, of a tuple of them, or none of an empty list.
void addElements(std::vector<Value>& call, const Value& x, int64_t row) {
    if (!x.isTuple()) {
        if (x.isScalar() || x.size() > 0) call.push_back(elementOf(x, row));
        return;
    }
    for (const Value& column : x.tuple().elements) call.push_back(elementOf(column, row));
}

// Converts a result to the type of the others, so that a window of results is one vector.
Value fittingResult(const Value& result, const Value& initial) {
    const bool isNumber = result.isScalar() && (isNumeric(result.type()) || result.isVoid());
    if (!result.isScalar() || (isNumeric(initial.type()) && !isNumber))
        throw UserError(fmt::format("func must give a scalar like initial, but it gave {}.", typeString(result)));
    if (isFloating(result.type()) && isIntegral(initial.type()))
        throw UserError("initial must be DOUBLE where func gives DOUBLE.", "Convert it, as double(initial).");
    return castFitting(result, initial.type(), initial.type() == result.type() ? result.extra() : 0, "func");
}

// The results of a group that a later row's window may hold.
struct KeptResults {
    Ref<Vector> results;         // the oldest first
    std::vector<int64_t> times;  // of them, where windows are in time

    void add(const Value& result) {
        if (!results) results = Vector::make(result.type(), 0);
        results->append(result);
    }
    // A function may still have the vector: the rest becomes another one.
    void dropFirst(int64_t count) {
        if (count > 0) results = results->slice(count, results->size() - count)->copy();
    }
    Value window() const { return Value::of(results->copy()); }
    int64_t memoryBytes() const {
        return (results ? results->memoryBytes() : 0) + static_cast<int64_t>(times.capacity() * sizeof(int64_t));
    }
};

// The groups of a recursion; a derived class takes their rows.
template <class Group>
class GroupsOfRecursion : public CallingStates {
public:
    explicit GroupsOfRecursion(Ref<Function> function) : function_(std::move(function)) {}
    void resize(int64_t groups) override { groups_.resize(static_cast<size_t>(groups)); }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) groups_[static_cast<size_t>(groups[i])] = {};
    }
    void keep(std::span<const int32_t> groups) override { keepGroups(groups_, groups); }
    int64_t memoryBytes() const override {
        int64_t bytes = static_cast<int64_t>(groups_.capacity() * sizeof(Group));
        for (const Group& group : groups_) bytes += group.memoryBytes();
        return bytes;
    }

protected:
    Value call(Context& context, std::vector<Value> arguments) const {
        context.checkCancelled();
        return callWith(*function_, context, std::move(arguments));
    }
    Group& group(int32_t number) { return groups_[static_cast<size_t>(number)]; }

private:
    const Ref<Function> function_;
    std::vector<Group> groups_;
};

struct AccumulatedGroup {
    bool hasResult = false;
    Value result;
    int64_t memoryBytes() const { return 0; }
};

class AccumulatedStates final : public GroupsOfRecursion<AccumulatedGroup> {
public:
    AccumulatedStates(Ref<Function> function, bool startsWithFirst)
        : GroupsOfRecursion(std::move(function)), startsWithFirst_(startsWithFirst) {}

    std::vector<Value> stepCalling(Context& context, std::span<const Value> arguments, const int32_t* groups,
                                   int64_t count) override {
        const Value &x = arguments[1], initial = arguments.size() > 2 ? arguments[2] : Value();
        std::vector<Value> results;
        for (int64_t i = 0; i < count; ++i) {
            AccumulatedGroup& own = group(groups[i]);
            if (!own.hasResult && startsWithFirst_) {
                own.result = elementOf(x, i);
            } else {
                std::vector<Value> parts{own.hasResult ? own.result : isOmitted(initial) ? Value() : initial};
                addElements(parts, x, i);
                own.result = call(context, std::move(parts));
            }
            own.hasResult = true;
            results.push_back(own.result);
        }
        return results;
    }

private:
    const bool startsWithFirst_;
};

struct IteratedGroup {
    KeptResults kept;
    int64_t rows = 0;
    int64_t memoryBytes() const { return kept.memoryBytes(); }
};

// genericStateIterate(X, initial, window, func): windows of the last results; of window 0 the last one, a scalar.
class CountedRecursion final : public GroupsOfRecursion<IteratedGroup> {
public:
    CountedRecursion(Ref<Function> function, int64_t window)
        : GroupsOfRecursion(std::move(function)), window_(window) {}

    std::vector<Value> stepCalling(Context& context, std::span<const Value> arguments, const int32_t* groups,
                                   int64_t count) override {
        std::vector<Value> results;
        for (int64_t i = 0; i < count; ++i) {
            IteratedGroup& own = group(groups[i]);
            const Value initial = elementOf(arguments[1], i);
            Value result = initial;
            if (own.rows >= window_) {
                std::vector<Value> parts;
                if (window_ > 0) {
                    parts.push_back(own.kept.window());
                } else {
                    parts.push_back(own.rows == 0 ? initial : own.kept.results->at(0));
                }
                addElements(parts, arguments[0], i);
                result = fittingResult(call(context, std::move(parts)), initial);
            }
            own.kept.add(result);
            own.kept.dropFirst(own.kept.results->size() - std::max<int64_t>(window_, 1));
            ++own.rows;
            results.push_back(std::move(result));
        }
        return results;
    }

private:
    const int64_t window_;
};

struct TimedGroup {
    KeptResults kept;
    int64_t first = null<int64_t>, last = null<int64_t>;  // times of rows
    int64_t memoryBytes() const { return kept.memoryBytes(); }
};

// genericTStateIterate(T, X, initial, window, func, [leftClosed]): windows in time that end with the row before.
class TimedRecursion final : public GroupsOfRecursion<TimedGroup> {
public:
    TimedRecursion(Ref<Function> function, Value window, bool leftClosed)
        : GroupsOfRecursion(std::move(function)), window_(std::move(window)), leftClosed_(leftClosed) {}

    std::vector<Value> stepCalling(Context& context, std::span<const Value> arguments, const int32_t* groups,
                                   int64_t count) override {
        constexpr int kTimes = 0, kWindow = 3;
        const TimeAxis times = TimeAxis::inAnyOrder(Ref<Vector>(&arguments[kTimes].vector()), kTimes, "T");
        const std::vector<int64_t> open = times.moved(window_, true, kWindow);
        std::vector<Value> results;
        for (int64_t i = 0; i < count; ++i) {
            TimedGroup& own = group(groups[i]);
            const Value initial = elementOf(arguments[2], i);
            const int64_t time = times.at(i), begin = open[static_cast<size_t>(i)];
            if (isNull(time) || (!isNull(own.last) && time < own.last)) {
                results.push_back(Value::nullOf(initial.type()));  // the row is left out
                continue;
            }
            if (isNull(own.first)) own.first = time;
            Value result = initial;
            if (begin >= own.first) {
                std::vector<Value> parts{own.kept.window()};
                addElements(parts, arguments[1], i);
                result = fittingResult(call(context, std::move(parts)), initial);
            }
            take(own, time, begin, result);
            results.push_back(std::move(result));
        }
        return results;
    }

private:
    void take(TimedGroup& group, int64_t time, int64_t open, const Value& result) const {
        group.last = time;
        group.kept.add(result);
        std::vector<int64_t>& times = group.kept.times;
        times.push_back(time);
        const auto begin = leftClosed_ ? std::lower_bound(times.begin(), times.end(), open)
                                       : std::upper_bound(times.begin(), times.end(), open);
        group.kept.dropFirst(begin - times.begin());
        times.erase(times.begin(), begin);
    }

    const Value window_;
    const bool leftClosed_;
};

// Throws UserError unless a column of this type can hold results.
void requireInitial(std::span<const Type> types, size_t i) {
    const Type type = i < types.size() ? types[i] : Type::Void;
    const bool fits = isNumeric(type) || isTemporal(type) || isLiteral(type) || isDecimal(type);
    if (!fits || isArrayType(type))
        throw UserError(static_cast<int>(i),
                        fmt::format("initial must be numbers, times or strings, but it is {}.", typeName(type)));
}

std::unique_ptr<RollingStates> countedRecursion(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kInitial = 1, kWindow = 2, kFunction = 3;
    if (constants.size() <= kFunction || constants[kWindow].isVoid() || !constants[kFunction].isFunction())
        return nullptr;
    std::vector<Value> a(constants.begin(), constants.end());
    const int64_t window = integerArgument(a, kWindow, "window");
    if (window < 0) refuseArgument(kWindow, "window", "not negative", a[kWindow]);
    requireInitial(types, kInitial);
    return std::make_unique<CountedRecursion>(Ref<Function>(&a[kFunction].function()), window);
}

std::unique_ptr<RollingStates> timedRecursion(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kInitial = 2, kWindow = 3, kFunction = 4, kLeftClosed = 5;
    if (constants.size() <= kFunction || constants[kWindow].isVoid() || !constants[kFunction].isFunction())
        return nullptr;
    const bool areTimes = !types.empty() && (isTemporal(types[0]) || isIntegral(types[0]));
    if (!areTimes) throw UserError(0, "T must be a vector of times or integers.");
    std::vector<Value> a(constants.begin(), constants.end());
    const Value& window = a[kWindow];
    const bool isLength = window.isScalar() && (isIntegral(window.type()) || window.type() == Type::Duration);
    if (!isLength || window.isNull() || window.integer() <= 0)
        refuseArgument(kWindow, "window", "a number or a duration above 0", window);
    requireInitial(types, kInitial);
    TimeAxis::inAnyOrder(Vector::make(types[0], 0), 0, "T").moved(window, true, kWindow);
    return std::make_unique<TimedRecursion>(Ref<Function>(&a[kFunction].function()), window,
                                            flagArgument(a, kLeftClosed, "leftClosed", false));
}

// Throws UserError unless a value is a scalar or a column, whose length sets `rows` or equals it.
void measureColumn(const Value& v, int argument, int64_t& rows) {
    if (v.isScalar() && !v.isVoid()) return;
    if (!v.isTypedVector())
        throw UserError(argument, fmt::format("A column or a scalar is needed, but it is {}.", typeString(v)));
    if (rows >= 0 && v.size() != rows)
        throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", rows, v.size()));
    rows = v.size();
}

// Computes a call over columns of one group. X is argument `x`, initial the next one; times are before X.
Value recursionOfColumns(Context& context, Arguments a, MakeRolling make, size_t x) {
    int64_t rows = -1;
    for (size_t i = 0; i < x; ++i) {
        measureColumn(a[i], static_cast<int>(i), rows);
        if (!a[i].isTypedVector()) throw UserError(static_cast<int>(i), "T must be a vector of times or integers.");
    }
    if (a[x].isTuple()) {
        for (const Value& part : a[x].tuple().elements) measureColumn(part, static_cast<int>(x), rows);
    } else if (!a[x].isVector() || a[x].size() > 0) {
        measureColumn(a[x], static_cast<int>(x), rows);
    }
    measureColumn(a[x + 1], static_cast<int>(x) + 1, rows);
    if (rows < 0) throw UserError("a column must give the rows.");
    std::vector<Type> types;
    for (const Value& v : a) types.push_back(v.type());
    const std::unique_ptr<RollingStates> states = make(types, a);
    if (!states) throw UserError("func must be a function, and the window a constant.");
    states->resize(1);
    const std::vector<int32_t> groups(static_cast<size_t>(rows));
    return listOf(states->asCalling()->stepCalling(context, a, groups.data(), rows));
}

Value countedKernel(Context& context, Arguments a) {
    return recursionOfColumns(context, a, countedRecursion, 0);
}
Value timedKernel(Context& context, Arguments a) {
    return recursionOfColumns(context, a, timedRecursion, 1);
}

}  // namespace

std::unique_ptr<RollingStates> accumulatedStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kData = 1, kInitial = 2, kRule = 3;
    if (constants.size() <= kData || !constants[0].isFunction() || !constants[kData].isVoid()) return nullptr;
    for (size_t i = kRule; i < constants.size(); ++i) {
        if (!constants[i].isVoid()) return nullptr;
    }
    const bool isColumn = kInitial < types.size() && types[kInitial] != Type::Void && constants[kInitial].isVoid();
    if (isColumn) return nullptr;
    const Function& f = constants[0].function();
    const int arity = f.signature().minArguments();
    if (arity > 3 || f.signature().maxArguments() < 2) return nullptr;
    const bool hasInitial = kInitial < constants.size() && !constants[kInitial].isVoid();
    return std::make_unique<AccumulatedStates>(Ref<Function>(const_cast<Function*>(&f)), arity < 3 && !hasInitial);
}

void registerRecursions(FunctionRegistry& registry) {
    const std::string common =
        "initial: a column, or a scalar; of the type that results have\n"
        "func: a function of the window's results, then of the elements of X in the row; it gives a scalar";
    registry.add(
        "genericStateIterate(X, initial, window, func)", countedKernel,
        {.summary = "A recursion: `initial` in the first `window` rows, then func of the last `window` results and of "
                    "the row's elements of X. With a window of 0 func is given the result before, and initial in the "
                    "first row.",
         .parameters = "X: a column, a tuple of columns, or [] for none\n" + common +
                       "\nwindow: INT, how many results func is given as a vector; 0 or more",
         .nulls = "Are handed to func.",
         .errors = "The columns differ in length; func gives no scalar, or DOUBLE where initial is integral.",
         .complexity = "One call of func for each row.",
         .example = "genericStateIterate(1 2 3 4, 1. 2. 3. 4., 2, def(last, x) {return last.sum() + x}) -> "
                    "[1,2,6,12]"},
        {.orderSensitive = true, .rolling = countedRecursion});
    registry.add(
        "genericTStateIterate(T, X, initial, window, func, [leftClosed=false])", timedKernel,
        {.summary = "A recursion over windows in time: `initial` in the rows before T[0] + window, then func of the "
                    "results of the rows in (t - window, t] and of the row's elements of X, where t is the time of "
                    "the row before.",
         .parameters = "T: a column of times or integers\n"
                       "X: a column, a tuple of columns, or [] for none\n" +
                       common +
                       "\nwindow: an integer in the unit of T, or a DURATION\n"
                       "leftClosed: BOOL, whether windows hold the results at t - window, too",
         .nulls = "A row without a time, or with one that falls, is left out: its result is NULL.",
         .errors = "The columns differ in length; func gives no scalar, or DOUBLE where initial is integral; the "
                   "window does not fit T.",
         .complexity = "One call of func for each row.",
         .example = "genericTStateIterate(1 2 3 5, 1 1 1 1, 1. 2. 3. 4., 2, def(last, x) {return last.sum() + x}) -> "
                    "[1,2,4,7]"},
        {.orderSensitive = true, .rolling = timedRecursion});
}

}  // namespace pelorus
