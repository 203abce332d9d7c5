// Functions that call others with given arguments, or compose them: call, pcall, nothrowCall, compose, talib.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/rolling/calling_states.h"
#include "runtime/serialize/received.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "stdlib/arguments.h"
#include "stdlib/higher_order/iterated_states.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

Value callKernel(Context& context, Arguments a) {
    return callWith(functionArgument(a), context, {a.begin() + 1, a.end()});
}

Value partialKernel(Context&, Arguments a) {
    functionArgument(a);
    return Value::of(Ref<Function>(
        makeRef<PartialFunction>(Ref<Function>(&a[0].function()), std::vector<Value>(a.begin() + 1, a.end()))));
}

Value unifiedCallKernel(Context& context, Arguments a) {
    if (!a[1].isTuple()) return callWith(functionArgument(a), context, {a[1]});
    return callWith(functionArgument(a), context, a[1].tuple().elements);
}

// The result is NULL when func throws; a wrong number of arguments is the caller's error.
Value nothrowCallKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    auto count = static_cast<int>(a.size()) - 1;
    if (count < f.signature().minArguments() || count > f.signature().maxArguments()) {
        throw UserError(
            fmt::format("The function [{}] expects {} argument(s), but the actual number of arguments is: {}", f.name(),
                        f.signature().minArguments(), count));
    }
    try {
        return callKernel(context, a);
    } catch (const UserError&) {
        context.checkCancelled();
    } catch (const SystemError&) {
        context.checkCancelled();
    }
    return Value();
}

Value rowRange(const Value& v, int64_t begin, int64_t end) {
    if (v.isTypedVector()) return Value::of(v.vector().slice(begin, end - begin));
    Ref<Vector> positions = Vector::make(Type::Long, end - begin);
    for (int64_t i = begin; i < end; ++i) positions->mutableData<int64_t>()[i - begin] = i;
    return takeRows(v, *positions);
}

Value glued(const std::vector<Value>& pieces) {
    if (pieces[0].isTable()) {
        const Ref<MemoryTable> first = tableToRead(pieces[0]);
        if (!first) throw UserError(0, "func must not give a partitioned table.");
        Ref<MemoryTable> whole = first->copy();
        for (size_t i = 1; i < pieces.size(); ++i) {
            const Ref<MemoryTable> piece = tableToRead(pieces[i]);
            if (!piece) throw UserError(0, "func must give tables in memory.");
            whole->append(*piece);
        }
        return Value::of(Ref<Table>(whole));
    }
    Value whole = pieces[0];
    for (size_t i = 1; i < pieces.size(); ++i) whole = joinValues(whole, pieces[i]);
    return whole;
}

// conditionalIterate(cond, trueValue, falseIterFunc): row k is trueValue where cond holds, and falseIterFunc of the
// rows before it where it does not.
Value conditionalIterateKernel(Context& context, Arguments a) {
    const Value &holds = a[0], &given = a[1];
    const Function& f = functionArgument(a, 2);
    if (!holds.isTypedVector()) throw UserError(0, "cond must be a vector of conditions.");
    const int64_t rows = holds.size();
    if (!given.isScalar() && (!given.isTypedVector() || given.size() != rows)) {
        throw UserError(1, fmt::format("trueValue must be a scalar or a vector of {} elements, as cond is.", rows));
    }
    auto isReal = [](Type type) { return type == Type::Float || type == Type::Double; };
    const bool givesReal = isReal(given.type());
    if (!givesReal && !isIntegral(given.type())) throw UserError(1, "trueValue must be numbers.");
    Ref<Vector> result = Vector::make(givesReal ? Type::Double : given.type(), rows);
    for (int64_t k = 0; k < rows; ++k) {
        context.checkCancelled();
        if (isTrue(holds.at(k))) {
            result->set(k, given.isScalar() ? given : given.at(k));
        } else if (k == 0) {
            result->set(k, Value());
        } else {
            const Value before = callWith(f, context, {Value::of(result->slice(0, k))});
            const bool fits = before.isTypedVector() && before.size() == k;
            if (!fits || (!isIntegral(before.type()) && !isReal(before.type()))) {
                throw UserError(2, "falseIterFunc must give a number for each element of its argument.");
            }
            if (!givesReal && isReal(before.type())) {
                throw UserError(1, "trueValue must be DOUBLE where falseIterFunc gives DOUBLE.");
            }
            result->set(k, before.at(k - 1));
        }
    }
    return Value::of(result);
}

// stateIterate(X, initial, initialWindow, iterateFunc, combineCoeff)
Value stateIterateKernel(Context& context, Arguments a) {
    const Ref<Vector> x = numbersAs<double>(*vectorArgument(a, 0, "X"), 0, "X");
    const bool fits = a[1].isScalar() ? a[1].isNumber() : a[1].isTypedVector() && a[1].size() == x->size();
    if (!fits)
        throw UserError(1, fmt::format("initial must be a number, or a vector of {} elements as X is.", x->size()));
    if (integerArgument(a, 2, "initialWindow") < 1) refuseArgument(2, "initialWindow", "at least 1", a[2]);
    functionArgument(a, 3);
    if (realsArgument(a, 4, "combineCoeff")->size() != 2) refuseArgument(4, "combineCoeff", "two numbers", a[4]);
    std::vector<Type> types;
    for (const Value& value : a) types.push_back(value.type());
    const std::unique_ptr<RollingStates> states = linearStates(types, a);
    if (!states) {
        throw UserError(3, "iterateFunc must be a function that goes on row by row, and gives numbers.",
                        "Such are mavg{, 3}, msum{, 3}, mmax{, 3}, mmin{, 3}, mcount{, 3}, ffill and move{, 1}.");
    }
    states->resize(1);
    Ref<Vector> results = Vector::make(Type::Double, 0);
    const std::vector<int32_t> groups(static_cast<size_t>(x->size()));
    const Value initial = a[1].isScalar() ? Value::of(Vector::filled(a[1].type(), x->size(), a[1])) : a[1];
    inPieces(x->size(), [&](int64_t from, int64_t to) {
        std::vector<Value> step(a.begin(), a.end());
        step[0] = Value::of(x->slice(from, to - from));
        step[1] = Value::of(initial.vector().slice(from, to - from));
        results->append(states->step(step, groups.data(), to - from).vector(), 0, to - from);
    });
    context.checkCancelled();
    return Value::of(results);
}

// Splits the rows into one range per thread; short arguments are not worth it.
Value pcallKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    constexpr int64_t kLeastRows = 100'000, kPieceRows = 65'536;
    int64_t rows = -1;
    for (const Value& v : a.subspan(1)) {
        if (!v.isScalar() && (v.isVector() || v.isTable())) rows = std::max(rows, v.size());
    }
    if (rows < kLeastRows) return callKernel(context, a);
    int64_t pieces = (rows + kPieceRows - 1) / kPieceRows;
    std::vector<Value> results(static_cast<size_t>(pieces));
    parallelFor(pieces, [&](int64_t p) {
        Context own = context;
        own.callDepth = 0;
        int64_t begin = p * kPieceRows, end = std::min(rows, begin + kPieceRows);
        std::vector<Value> step;
        for (const Value& v : a.subspan(1)) {
            bool cut = (v.isVector() || v.isTable()) && v.size() == rows;
            step.push_back(cut ? rowRange(v, begin, end) : v);
        }
        results[static_cast<size_t>(p)] = f.call(own, step);
    });
    bool whole =
        std::all_of(results.begin(), results.end(), [](const Value& v) { return v.isTable() || v.isVector(); });
    return whole ? glued(results) : callKernel(context, a);
}

// second(first(...)).
class ComposedFunction final : public Function {
public:
    ComposedFunction(Ref<Function> first, Ref<Function> second) : first_(std::move(first)), second_(std::move(second)) {
        signature_ = first_->signature();
        signature_.aggregate = second_->signature().aggregate;
        signature_.elementwise = signature_.elementwise && second_->signature().elementwise;
        signature_.orderSensitive = signature_.orderSensitive || second_->signature().orderSensitive;
        signature_.mutatesFirst = false;
    }
    std::string_view name() const override { return ""; }
    const Signature& signature() const override { return signature_; }
    Value call(Context& context, std::span<Value> arguments) const override {
        std::vector<Value> step = {first_->call(context, arguments)};
        return second_->call(context, step);
    }
    std::string describe() const override {
        return fmt::format("compose({}, {})", first_->describe(), second_->describe());
    }
    std::string_view portableKind() const override { return "composed"; }
    Value save() const override {
        return Value::of(makeRef<Tuple>(std::vector<Value>{Value::of(first_), Value::of(second_)}));
    }

private:
    Ref<Function> first_, second_;
    Signature signature_;
};

Ref<Portable> loadComposed(const Value& saved) {
    const std::vector<Value>& parts = savedParts(saved, 2);
    if (!parts[0].isFunction() || !parts[1].isFunction()) throw UserError("A composition arrived in another shape.");
    return makeRef<ComposedFunction>(Ref<Function>(&parts[0].function()), Ref<Function>(&parts[1].function()));
}

Value composeKernel(Context&, Arguments a) {
    functionArgument(a, 0);
    functionArgument(a, 1);
    return Value::of(
        Ref<Function>(makeRef<ComposedFunction>(Ref<Function>(&a[0].function()), Ref<Function>(&a[1].function()))));
}

// The first row in which no vector of X's length is NULL.
int64_t firstValidRow(Arguments data, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) {
        bool valid = std::none_of(data.begin(), data.end(), [&](const Value& v) {
            return v.isTypedVector() && v.size() == rows && v.vector().isNullAt(i);
        });
        if (valid) return i;
    }
    return rows;
}

Value talibOfVectors(Context& context, const Function& f, Arguments data) {
    int64_t rows = data[0].size();
    int64_t skipped = firstValidRow(data, rows);
    std::vector<Value> step;
    for (const Value& v : data) {
        bool cut = v.isTypedVector() && v.size() == rows;
        step.push_back(cut ? Value::of(v.vector().slice(skipped, rows - skipped)) : v);
    }
    int64_t unfilled = 0;  // rows before the first whole window
    const auto& parameters = f.signature().parameters;
    for (size_t p = 0; p < parameters.size() && p < step.size(); ++p) {
        const bool isWindow = parameters[p].name == "window" && step[p].isScalar() && isIntegral(step[p].type());
        if (isWindow && !step[p].isNull()) unfilled = std::max<int64_t>(step[p].integer() - 1, 0);
    }
    Value result = f.call(context, step);
    if ((skipped == 0 && unfilled == 0) || !result.isVector() || result.isTuple()) return result;
    unfilled = std::min(unfilled, result.size());
    Ref<Vector> whole = Vector::filled(result.type(), skipped + unfilled, Value());
    whole->append(result.vector(), unfilled, result.size() - unfilled);
    return Value::of(whole);
}

// talib(func, args...): func from the first row that is not NULL on; the rows before it stay NULL.
Value talibKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    Arguments data = a.subspan(1);
    if (data.empty()) throw UserError(1, "talib needs the arguments of func.");
    bool columnwise = data[0].isMatrix() || data[0].isTable();
    if (!columnwise) return data[0].isVector() ? talibOfVectors(context, f, data) : callKernel(context, a);
    std::vector<Value> columns = columnsOf(data[0]);
    for (size_t c = 0; c < columns.size(); ++c) {
        if (!isNumeric(columns[c].type())) continue;
        std::vector<Value> step(data.begin(), data.end());
        step[0] = columns[c];
        for (size_t i = 1; i < step.size(); ++i) {
            if (step[i].isMatrix() && step[i].matrix().columns == static_cast<int64_t>(columns.size()))
                step[i] = Value::of(step[i].matrix().column(static_cast<int64_t>(c)));
        }
        columns[c] = talibOfVectors(context, f, step);
    }
    return columnsLike(std::move(columns), data[0]);
}

// The states of func behind leading NULLs: a group begins with its first row without NULL, and has results from the
// first whole window on.
class TalibStates final : public RollingStates {
public:
    TalibStates(std::unique_ptr<RollingStates> inner, int64_t unfilled)
        : inner_(std::move(inner)), unfilled_(unfilled) {}

    void resize(int64_t groups) override {
        inner_->resize(groups);
        rows_.resize(static_cast<size_t>(groups));
    }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        std::vector<int32_t> begun, groupsOfBegun, sources(static_cast<size_t>(count), -1);
        for (int64_t i = 0; i < count; ++i) {
            int64_t& rows = rows_[static_cast<size_t>(groups[i])];
            if (rows == 0 && hasNull(arguments, i, count)) continue;
            if (rows++ >= unfilled_) sources[static_cast<size_t>(i)] = static_cast<int32_t>(begun.size());
            begun.push_back(static_cast<int32_t>(i));
            groupsOfBegun.push_back(groups[i]);
        }
        const auto taken = static_cast<int64_t>(begun.size());
        std::vector<Value> own;
        for (const Value& argument : arguments.subspan(1)) {
            const bool isColumn = argument.isTypedVector() && argument.size() == count;
            own.push_back(isColumn ? Value::of(argument.vector().gather(begun.data(), taken)) : argument);
        }
        const Value results = inner_->step(own, groupsOfBegun.data(), taken);
        return Value::of(results.vector().gather(sources.data(), count));
    }
    void clear(const int32_t* groups, int64_t count) override {
        inner_->clear(groups, count);
        for (int64_t i = 0; i < count; ++i) rows_[static_cast<size_t>(groups[i])] = 0;
    }
    void keep(std::span<const int32_t> groups) override {
        inner_->keep(groups);
        keepGroups(rows_, groups);
    }
    int64_t memoryBytes() const override {
        return inner_->memoryBytes() + static_cast<int64_t>(rows_.capacity() * sizeof(int64_t));
    }

private:
    static bool hasNull(std::span<const Value> arguments, int64_t i, int64_t count) {
        return std::any_of(arguments.begin() + 1, arguments.end(), [&](const Value& v) {
            return v.isTypedVector() && v.size() == count && v.vector().isNullAt(i);
        });
    }

    const std::unique_ptr<RollingStates> inner_;
    const int64_t unfilled_;
    std::vector<int64_t> rows_;  // of each group, from its first without NULL on
};

std::unique_ptr<RollingStates> talibStates(std::span<const Type> types, std::span<const Value> constants) {
    if (constants.size() < 2 || !constants[0].isFunction()) return nullptr;
    const auto* function = dynamic_cast<const BuiltinFunction*>(&constants[0].function());
    if (!function || !function->declaration().rolling || function->declaration().gives.rule == type_rules::varying)
        return nullptr;
    const auto& parameters = function->signature().parameters;
    std::vector<Value> own(constants.begin() + 1, constants.end());
    std::vector<Type> ownTypes(types.begin() + 1, types.end());
    own.resize(std::max(own.size(), parameters.size()));
    ownTypes.resize(own.size(), Type::Void);
    int64_t unfilled = 0;
    for (size_t p = 0; p < parameters.size(); ++p) {
        const bool isWindow = parameters[p].name == "window" && own[p].isScalar() && isIntegral(own[p].type());
        if (isWindow && !own[p].isNull()) unfilled = std::max<int64_t>(own[p].integer() - 1, 0);
    }
    std::unique_ptr<RollingStates> inner = withoutCalls(function->declaration().rolling(ownTypes, own));
    return inner ? std::make_unique<TalibStates>(std::move(inner), unfilled) : nullptr;
}

[[maybe_unused]] const bool kRegistered = (registerPortable("composed", loadComposed), true);

// evalTimer(funcs, [count])
Value evalTimerKernel(Context& context, Arguments a) {
    const int64_t count = integerArgument(a, 1, "count", 1);
    if (count < 1) refuseArgument(1, "count", "at least 1", a[1]);
    std::vector<Value> functions = a[0].isTuple() ? a[0].tuple().elements : std::vector<Value>{a[0]};
    for (const Value& f : functions) {
        if (!f.isFunction()) refuseArgument(0, "funcs", "a function without parameters, or a tuple of them", a[0]);
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < count; ++i) {
        for (const Value& f : functions) callWith(f.function(), context, {});
    }
    return Value::ofDouble(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
}

}  // namespace

void registerCalls(FunctionRegistry& registry) {
    registry.add("partial(func, args...)", partialKernel,
                 {.summary = "func with its first arguments fixed, as func{args…}.",
                  .parameters = "func: the function\n"
                                "args: its first arguments, or omitted ones for places that stay open",
                  .errors = "func is no function.",
                  .example = "partial(sub, 10)(4) -> 6"},
                 {.takesSharedTables = true});
    registry.add("call(func, args...)", callKernel,
                 {.summary = "func(args…).",
                  .parameters = "func: the function\n"
                                "args: its arguments, as many as it takes",
                  .example = "call(add, 1, 2) -> 3"},
                 {.takesSharedTables = true});
    registry.add(
        "unifiedCall(func, args)", unifiedCallKernel,
        {.summary = "func with the elements of a tuple as its arguments.", .example = "unifiedCall(add, (1, 2)) -> 3"});
    registry.add("nothrowCall(func, args...)", nothrowCallKernel,
                 {.summary = "func(args…), or NULL when it fails.",
                  .parameters = "func: the function\n"
                                "args: its arguments, as many as it takes",
                  .errors = "func does not take that many arguments.",
                  .example = "isVoid(nothrowCall(neg, `a)) -> true"},
                 {.takesSharedTables = true});
    registry.alias("nothrow", "nothrowCall");
    registry.add(
        "conditionalIterate(cond, trueValue, falseIterFunc)", conditionalIterateKernel,
        {.summary = "Where cond holds, trueValue; elsewhere the last element of falseIterFunc over the elements of "
                    "the result so far, as mavg{, 3} of them; NULL where there are none.",
         .parameters = "falseIterFunc: a function of one vector that gives an element for each of its elements",
         .errors = "The sizes differ; trueValue is not of the numbers that falseIterFunc gives.",
         .complexity = "Each element where cond does not hold computes falseIterFunc over all elements before it.",
         .example = "conditionalIterate(1 3 6 1 3 > 5, 10, msum{, 3}) -> [,,10,10,20]"},
        {.orderSensitive = true, .rolling = conditionalStates});
    registry.add(
        "stateIterate(X, initial, initialWindow, iterateFunc, combineCoeff)", stateIterateKernel,
        {.summary = "A linear recursion: `initial` in the first initialWindow rows, then combineCoeff[0] * X + "
                    "combineCoeff[1] * the last element of iterateFunc over the results so far.",
         .parameters =
             "X: a numeric vector\n"
             "initial: a numeric vector as long as X, or a scalar\n"
             "initialWindow: how many rows `initial` gives, at least 1\n"
             "iterateFunc: a function of one vector that goes on row by row, as msum{, 3}, ffill or move{, 1}\n"
             "combineCoeff: a vector of two numbers",
         .nulls = "NULL of X, or of iterateFunc's result, gives NULL.",
         .errors = "The sizes differ; iterateFunc can't go on row by row; combineCoeff has not two elements.",
         .complexity = "One step of iterateFunc for each row.",
         .example = "stateIterate(1 2 3 4 5, take(10, 5), 3, msum{, 3}, 0.5 0.5) -> [10,10,10,17,21]"},
        {.gives = is(Type::Double), .orderSensitive = true, .rolling = linearStates});
    registry.add(
        "pcall(func, args...)", pcallKernel,
        {.summary = "func(args…) with the rows cut into pieces that are computed on all threads; func must "
                    "give a row for each row.",
         .parameters = "func: a function of whole columns that gives a row for each row\n"
                       "args: its arguments: vectors and tables of one length are cut, scalars go to every piece",
         .complexity = "Arguments below 100,000 rows are not cut.",
         .example = "pcall(neg, 1 2) -> [-1,-2]"});
    registry.add(
        "evalTimer(funcs, [count=1])", evalTimerKernel,
        {.summary = "How long one or several functions without parameters take, called count times, as DOUBLE.",
         .units = "milliseconds",
         .errors = "A function fails; funcs holds something else.",
         .example = "evalTimer(def() {1 + 1}) < 1000 -> true"});
    registry.add("compose(first, second)", composeKernel,
                 {.summary = "The function that gives second(first(…)).",
                  .errors = "An argument is no function.",
                  .example = "f = compose(neg, abs); f(3 -4) -> [3,4]"});
    registry.add("talib(func, args...)", talibKernel,
                 {.summary = "func of the rows from the first one without NULL on; the rows before stay NULL, as in "
                             "the library of that name.",
                  .parameters = "func: a function of vectors, such as a moving one\n"
                                "args: its arguments; vectors are cut before the first row in which none is NULL",
                  .example = "talib(msum, NULL 1 2 3, 2) -> [,,3,5]"},
                 {.orderSensitive = true, .takesSharedTables = true, .rolling = talibStates});
    registry.add("asis(obj)", [](Context&, Arguments a) { return a[0]; },
                 {.summary = "Its argument, without a copy.", .example = "asis(1 2) -> [1,2]"},
                 {.gives = same(0), .role = Role::AsIs, .takesSharedTables = true});
}

}  // namespace pelorus
