// Functions that call functions over parts of their arguments.
#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/kernel/index/row_index.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/vector.h"
#include "stdlib/arguments.h"
#include "stdlib/higher_order/recursions.h"
#include "stdlib/higher_order/states_of_function.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

// Calls f(i) for 0 <= i < count, in order or on all threads.
void forSteps(Context& context, int64_t count, bool parallel, const std::function<void(Context&, int64_t)>& f) {
    if (!parallel) {
        for (int64_t i = 0; i < count; ++i) {
            context.checkCancelled();
            f(context, i);
        }
        return;
    }
    parallelFor(count, [&](int64_t i) {
        Context own = context;
        own.callDepth = 0;
        own.checkCancelled();
        f(own, i);
    });
}

template <class T>
std::vector<Value> scalarsOf(Type type, const T* elements, int64_t count) {
    std::vector<Value> scalars(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
        if constexpr (std::is_floating_point_v<T>) {
            scalars[static_cast<size_t>(i)].assignScalar(elements[i]);
        } else {
            scalars[static_cast<size_t>(i)].assignScalar(type, elements[i]);
        }
    }
    return scalars;
}

// Returns the elements of a vector as separate scalars. REQUIRES: no decimals, whose scalars carry a scale.
std::vector<Value> scalarsOf(const Vector& v) {
    CHECK(!isDecimal(v.type())) << "the scalars of a decimal vector carry its scale";
    switch (storageOf(v.type())) {
        case Storage::Int32:
            return scalarsOf(v.type(), v.data<int32_t>(), v.size());
        case Storage::Int64:
            return scalarsOf(v.type(), v.data<int64_t>(), v.size());
        case Storage::Float64:
            return scalarsOf(v.type(), v.data<double>(), v.size());
        default: {
            std::vector<Value> scalars;
            scalars.reserve(static_cast<size_t>(v.size()));
            for (int64_t i = 0; i < v.size(); ++i) scalars.push_back(v.at(i));
            return scalars;
        }
    }
}

// Function of a loop. When steps run concurrently, each gets its own copy of the state that a partial application holds
// for a mutable parameter.
class StepFunction {
public:
    StepFunction(const Function& f, bool parallel)
        : f_(f), partial_(parallel ? dynamic_cast<const PartialFunction*>(&f) : nullptr) {}

    Value operator()(Context& context, std::vector<Value> arguments) const {
        const Ref<Function> own = partial_ ? partial_->withOwnState() : Ref<Function>();
        return callWith(own ? *own : f_, context, std::move(arguments));
    }

private:
    const Function& f_;
    const PartialFunction* partial_;
};

Value mapParts(Context& context, Arguments arguments, AssembleRule rule, bool parallel) {
    const Function& f = functionArgument(arguments);
    std::span<const Value> data = arguments.subspan(1);
    int64_t count = commonCount(data);
    if (count < 0) {
        Value result = callWith(f, context, {data.begin(), data.end()});
        return rule == AssembleRule::Tuple ? assemble({result}, rule) : result;
    }
    if (Value all; f.callOnElements(context, data, count, all)) {
        if (rule != AssembleRule::Tuple) return all;
        return Value::of(makeRef<Tuple>(scalarsOf(all.vector())));
    }
    // Machine code gives up when the request was cancelled.
    context.checkCancelled();
    // Steps in order touch the memory of their results one by one: making them all first cannot be cancelled.
    std::vector<Value> results;
    results.reserve(static_cast<size_t>(count));
    if (parallel) results.resize(static_cast<size_t>(count));
    const StepFunction step(f, parallel);
    forSteps(context, count, parallel, [&](Context& own, int64_t i) {
        Value result = step(own, stepArguments(data, i));
        if (parallel) {
            results[static_cast<size_t>(i)] = std::move(result);
        } else {
            results.push_back(std::move(result));
        }
    });
    // Results over a dictionary keep its keys, results over the columns of a matrix its labels.
    const Value* source = &data[0];
    for (const Value& v : data) {
        if (v.isMatrix()) source = &v;
    }
    if (data[0].isDictionary()) source = &data[0];
    if (rule == AssembleRule::Tuple && !source->isDictionary()) return assemble(std::move(results), rule);
    Value whole = assembleResults(std::move(results), rule, *source);
    return data.size() == 1 && data[0].isTuple() ? withColumnLabels(std::move(whole), data[0]) : whole;
}

Value eachKernel(Context& context, Arguments arguments) {
    return mapParts(context, arguments, AssembleRule::Default, false);
}
Value peachKernel(Context& context, Arguments arguments) {
    return mapParts(context, arguments, AssembleRule::Default, true);
}
Value loopKernel(Context& context, Arguments arguments) {
    return mapParts(context, arguments, AssembleRule::Tuple, false);
}
Value ploopKernel(Context& context, Arguments arguments) {
    return mapParts(context, arguments, AssembleRule::Tuple, true);
}
Value eachByRuleKernel(Context& context, Arguments arguments) {
    if (arguments.size() < 3) throw UserError("func and assembleRule need something to walk.");
    AssembleRule rule = ruleArgument(arguments.first(2), 1);
    std::vector<Value> call(arguments.begin(), arguments.end());
    call.erase(call.begin() + 1);
    return mapParts(context, call, rule, false);
}

// f(X[i], Y) or f(X, Y[i]).
template <bool kLeft>
Value eachSideKernel(Context& context, Arguments arguments) {
    const Function& f = functionArgument(arguments);
    AssembleRule rule = ruleArgument(arguments, 3);
    const Value &x = arguments[1], &y = arguments[2], &walked = kLeft ? x : y;
    if (partCount(walked) < 0) return callWith(f, context, {x, y});
    std::vector<Value> results;
    for (int64_t i = 0; i < partCount(walked); ++i) {
        context.checkCancelled();
        results.push_back(kLeft ? callWith(f, context, {x.at(i), y}) : callWith(f, context, {x, y.at(i)}));
    }
    Value whole = assembleResults(std::move(results), rule, walked);
    return walked.isTypedVector() ? withColumnLabels(std::move(whole), walked) : whole;
}

// f(X[i], neighbour) over neighbouring parts; the end without a neighbour takes `beyond`, or is NULL.
template <bool kPrevious>
Value neighboursKernel(Context& context, Arguments arguments) {
    const Function& f = functionArgument(arguments);
    AssembleRule rule = ruleArgument(arguments, 3);
    const Value& x = arguments[1];
    int64_t n = partCount(x);
    if (n < 0) return isOmitted(arguments[2]) ? Value() : callWith(f, context, {x, arguments[2]});
    std::vector<Value> results(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
        context.checkCancelled();
        int64_t other = kPrevious ? i - 1 : i + 1;
        bool inside = other >= 0 && other < n;
        if (!inside && isOmitted(arguments[2])) continue;
        results[static_cast<size_t>(i)] = callWith(f, context, {x.at(i), inside ? x.at(other) : arguments[2]});
    }
    return assembleResults(std::move(results), rule, x);
}

// A unary func repeated on init, until X says so.
std::vector<Value> repeatSteps(Context& context, const Function& f, const Value& x, Value current) {
    std::vector<Value> results = {current};
    auto step = [&] {
        context.checkCancelled();
        current = callWith(f, context, {current});
        results.push_back(current);
    };
    if (x.isFunction()) {
        while (isTrue(callWith(x.function(), context, {current}))) step();
    } else if (x.isVoid() || x.isNull()) {
        for (;;) {
            Value before = current;
            step();
            if (identical(before, current)) break;
        }
        results.pop_back();
    } else {
        if (!x.isNumber() || !isIntegral(x.type()))
            throw UserError(1, "With a unary func, X must be a number of steps, a condition or NULL.");
        for (int64_t i = 0; i < x.asLong(); ++i) step();
    }
    return results;
}

// The running results, by the number of parameters of func.
std::vector<Value> accumulateSteps(Context& context, Arguments arguments) {
    const Function& f = functionArgument(arguments);
    const Value& x = arguments[1];
    bool hasInit = isGiven(arguments, 2);
    int arity = f.signature().minArguments();
    if (arity <= 1 && f.signature().maxArguments() == 1) {
        if (!hasInit) throw UserError(2, "init must be given when func has one parameter.");
        return repeatSteps(context, f, x, arguments[2]);
    }
    bool ternary = arity == 3 && x.isTuple() && x.size() == 2;
    if (arity == 3 && !ternary) throw UserError(1, "With a func of three parameters, X must be a tuple of two.");
    const Value first = ternary ? x.at(0) : x;
    const Value second = ternary ? x.at(1) : Value();
    int64_t n = ternary ? commonCount(x.tuple().elements) : partCount(first);
    auto part = [](const Value& v, int64_t i) { return partCount(v) < 0 ? v : v.at(i); };
    Value current = hasInit ? arguments[2] : Value();
    std::vector<Value> results;
    for (int64_t i = 0; i < (n < 0 ? 1 : n); ++i) {
        context.checkCancelled();
        if (i == 0 && !hasInit && !ternary) {
            current = part(first, 0);
        } else if (ternary) {
            current = callWith(f, context, {current, part(first, i), part(second, i)});
        } else {
            current = callWith(f, context, {current, part(first, i)});
        }
        results.push_back(current);
    }
    return results;
}

Value accumulateKernel(Context& context, Arguments arguments) {
    AssembleRule rule = ruleArgument(arguments, 3);
    return assembleResults(accumulateSteps(context, arguments), rule, arguments[1].isMatrix() ? arguments[1] : Value());
}

Value reduceKernel(Context& context, Arguments arguments) {
    ruleArgument(arguments, 3);
    std::vector<Value> results = accumulateSteps(context, arguments);
    if (results.empty()) return isOmitted(arguments[2]) ? Value() : arguments[2];
    return results.back();
}

// f(X[i], Y[j]) for all pairs: a labelled matrix of scalars, or a tuple of rows.
template <bool kParallel>
Value crossKernel(Context& context, Arguments arguments) {
    const Function& f = functionArgument(arguments);
    const Value& x = arguments[1];
    const Value& y = isGiven(arguments, 2) ? arguments[2] : x;
    int64_t rows = partCount(x), columns = partCount(y);
    auto part = [](const Value& v, int64_t i) { return partCount(v) < 0 ? v : v.at(i); };
    rows = rows < 0 ? 1 : rows;
    columns = columns < 0 ? 1 : columns;
    constexpr int64_t kMaxCells = int64_t{1} << 28;
    if (rows * columns > kMaxCells)
        throw UserError(fmt::format("X and Y have {} pairs; the most is {}.", rows * columns, kMaxCells));
    std::vector<Value> cells(static_cast<size_t>(rows * columns));
    const StepFunction step(f, kParallel);
    forSteps(context, rows * columns, kParallel, [&](Context& own, int64_t i) {
        cells[static_cast<size_t>(i)] = step(own, {part(x, i % rows), part(y, i / rows)});
    });
    Value flat = listOf(std::move(cells));
    if (flat.isTuple()) {
        std::vector<Value> byRow;
        for (int64_t r = 0; r < rows; ++r) {
            std::vector<Value> row;
            for (int64_t c = 0; c < columns; ++c) row.push_back(flat.at(c * rows + r));
            byRow.push_back(Value::of(makeRef<Tuple>(std::move(row))));
        }
        return Value::of(makeRef<Tuple>(std::move(byRow)));
    }
    auto result = makeRef<Matrix>(Ref<Vector>(&flat.vector()), rows, columns);
    auto labels = [](const Value& v) {
        if (v.isMatrix()) return v.matrix().columnLabels;
        return v.isTypedVector() ? v : Value();
    };
    result->rowLabels = labels(x);
    result->columnLabels = labels(y);
    return Value::of(result);
}

// Transposes columns: returns element i of every column, for each i.
std::vector<Value> rowsOf(const std::vector<Value>& columns) {
    int64_t rows = std::max<int64_t>(commonCount(columns), columns.empty() ? 0 : 1);
    std::vector<Value> result;
    for (int64_t r = 0; r < rows; ++r) result.push_back(listOf(stepArguments(columns, r)));
    return result;
}

bool isColumnwise(const Value& v) {
    return v.isMatrix() || v.isTable() || (v.isTuple() && !isRowwise(v));
}

// Position by position across the rows of an array vector or columnar tuple.
Value byColumnOfRows(const Function& f, Context& context, const Value& x, const Value& y) {
    int64_t width = 0;
    for (int64_t r = 0; r < x.size(); ++r) width = std::max(width, x.at(r).size());
    std::vector<Value> results;
    for (int64_t c = 0; c < width; ++c) {
        const Value index = Value::ofLong(c);
        std::vector<Value> step{readRowwise(x, {&index, 1})};
        if (!isOmitted(y)) step.push_back(isRowwise(y) ? readRowwise(y, {&index, 1}) : y);
        results.push_back(f.call(context, step));
    }
    const bool scalars = std::all_of(results.begin(), results.end(), [](const Value& v) { return v.isScalar(); });
    if (scalars) return listOf(std::move(results));
    // Columns back to rows as long as those of X.
    std::vector<Value> rows;
    for (int64_t r = 0; r < x.size(); ++r) {
        std::vector<Value> elements;
        for (int64_t c = 0; c < x.at(r).size(); ++c) elements.push_back(results[static_cast<size_t>(c)].at(r));
        rows.push_back(listOf(std::move(elements)));
    }
    return rowsFrom(std::move(rows), x.isTuple());
}

std::vector<Value> callOnParts(Context& context, const Function& f, const std::vector<Value>& x,
                               const std::vector<Value>* y) {
    if (y && y->size() != x.size()) {
        throw UserError(2, fmt::format("X and Y differ: {} and {} parts.", x.size(), y->size()));
    }
    std::vector<Value> results;
    for (size_t i = 0; i < x.size(); ++i) {
        context.checkCancelled();
        std::vector<Value> step = {x[i]};
        if (y) step.push_back((*y)[i]);
        results.push_back(f.call(context, step));
    }
    return results;
}

std::vector<Value> itemsOf(const Value& v) {
    std::vector<Value> elements;
    for (int64_t i = 0; i < v.size(); ++i) elements.push_back(v.at(i));
    return elements;
}

Value byColumnKernel(Context& context, Arguments arguments) {
    const Function& f = functionArgument(arguments);
    const Value& x = arguments[1];
    if (x.isScalar() || x.isDictionary() || x.isSet()) refuseArgument(1, "X", "a matrix, a table or a tuple", x);
    if (isRowwise(x)) return byColumnOfRows(f, context, x, arguments[2]);
    std::vector<Value> columns = columnsOf(x), other;
    bool two = isGiven(arguments, 2);
    if (two) other = columnsOf(arguments[2]);
    return columnsLike(callOnParts(context, f, columns, two ? &other : nullptr), x);
}

Value byRowKernel(Context& context, Arguments arguments) {
    const Function& f = functionArgument(arguments);
    const Value& x = arguments[1];
    if (x.isScalar() || x.isDictionary() || x.isSet()) refuseArgument(1, "X", "a matrix, a table or a tuple", x);
    auto parts = [](const Value& v) { return isColumnwise(v) ? rowsOf(columnsOf(v)) : itemsOf(v); };
    std::vector<Value> rows = parts(x), other;
    bool two = isGiven(arguments, 2);
    if (two) other = parts(arguments[2]);
    std::vector<Value> results = callOnParts(context, f, rows, two ? &other : nullptr);
    bool scalars = std::all_of(results.begin(), results.end(), [](const Value& v) { return v.isScalar(); });
    if (scalars) return listOf(std::move(results));
    if (isRowwise(x)) return rowsFrom(std::move(results), x.isTuple());
    if (!isColumnwise(x)) return assemble(std::move(results));
    // A vector function keeps the shape: rows back to columns.
    size_t width = columnsOf(x).size();
    bool sameShape = std::all_of(results.begin(), results.end(), [&](const Value& v) {
        return v.isVector() && v.size() == static_cast<int64_t>(width);
    });
    if (!sameShape) {
        Value whole = assemble(std::move(results));
        if (!whole.isMatrix()) return whole;
        return columnsLike(rowsOf(columnsOf(whole)), Value());
    }
    return columnsLike(rowsOf(results), x);
}

// Explanations of parameters that several functions share.
constexpr std::string_view kWalked =
    "func: a function of as many arguments as args\n"
    "args: what is walked in step, scalars repeat: vectors, pairs and tuples by element, matrices by column, tables by "
    "row, dictionaries by value";
constexpr std::string_view kRules =
    "assembleRule: how the results become one value: \"D\" by what they are, \"C\" by the first, all alike, \"U\" a "
    "tuple, \"K\" as \"D\", but a tuple where a result is a vector\n"
    "consistent: true is the rule \"C\", false \"D\"";
constexpr std::string_view kSteps =
    "func: a function of two arguments, the result so far and a part of X; one of three takes parts of two vectors; "
    "one of one is repeated on init\n"
    "X: what is walked, for three arguments a tuple of two; for a func of one argument how often it is called, or a "
    "condition of the result that goes on "
    "while true\n"
    "init: the result before the first call; the first part of X when omitted\n";
constexpr std::string_view kPairs =
    "func: a function of two arguments, a part of X and one of Y\n"
    "X: what gives the rows: a vector, matrix (by column), table (by row) or tuple\n"
    "Y: what gives the columns, in the same way; X when omitted";

}  // namespace

void registerHigherOrder(FunctionRegistry& registry) {
    registry.add("each(func, args...)", eachKernel,
                 {.summary = "func of each part of the arguments in step; scalars repeat. Scalars become a vector, "
                             "equally long vectors a matrix, dictionaries a table.",
                  .parameters = kWalked,
                  .example = "each(x -> x * x, 1 2 3) -> [1,4,9]"});
    registry.add("peach(func, args...)", peachKernel,
                 {.summary = "As each, with the calls spread over the worker threads.",
                  .parameters = kWalked,
                  .example = "peach(x -> x + 1, 1 2 3) -> [2,3,4]"});
    registry.add("loop(func, args...)", loopKernel,
                 {.summary = "As each, but the results are always a tuple.",
                  .parameters = kWalked,
                  .example = "loop(max, [1 2, 3 4]) -> (2,4)"});
    registry.add("ploop(func, args...)", ploopKernel,
                 {.summary = "As loop, with the calls spread over the worker threads.",
                  .parameters = kWalked,
                  .example = "ploop(x -> x + 1, 1 2) -> (2,3)"});
    registry.add("eachLeft(func, X, Y, [assembleRule='D'], [consistent=false])", eachSideKernel<true>,
                 {.summary = "func(X[i], Y) for each part of X.",
                  .parameters = std::string("func: a function of two arguments\n"
                                            "X: what is walked: a vector, matrix, table, tuple or dictionary\n"
                                            "Y: any value, which each call gets whole\n")
                                    .append(kRules),
                  .example = "eachLeft(add, 1 2, 10) -> [11,12]"});
    registry.add("eachRight(func, X, Y, [assembleRule='D'], [consistent=false])", eachSideKernel<false>,
                 {.summary = "func(X, Y[i]) for each part of Y.",
                  .parameters = std::string("func: a function of two arguments\n"
                                            "X: any value, which each call gets whole\n"
                                            "Y: what is walked: a vector, matrix, table, tuple or dictionary\n")
                                    .append(kRules),
                  .example = "eachRight(sub, 10, 1 2) -> [9,8]"});
    registry.add(
        "eachPre(func, X, [pre], [assembleRule='D'], [consistent=false])", neighboursKernel<true>,
        {.summary = "func(X[i], X[i-1]) for each i; the first is func(X[0], pre), or NULL without pre.",
         .parameters = std::string("func: a function of two arguments: a part and the one before it\n"
                                   "X: what is walked: a vector, matrix, table or tuple\n"
                                   "pre: what stands before the first part; without it the first result is NULL\n")
                           .append(kRules),
         .example = "eachPre(sub, 1 3 6) -> [,2,3]"});
    registry.add(
        "eachPost(func, X, [post], [assembleRule='D'], [consistent=false])", neighboursKernel<false>,
        {.summary = "func(X[i], X[i+1]) for each i; the last is func(X[n-1], post), or NULL without post.",
         .parameters = std::string("func: a function of two arguments: a part and the one after it\n"
                                   "X: what is walked: a vector, matrix, table or tuple\n"
                                   "post: what stands after the last part; without it the last result is NULL\n")
                           .append(kRules),
         .example = "eachPost(sub, 1 3 6) -> [-2,-3,]"});
    registry.add(
        "accumulate(func, [X], [init], [assembleRule='D'], [consistent=false])", accumulateKernel,
        {.summary = "The running results of applying func to the result so far and the next part of X. A unary "
                    "func is repeated on init: X times, while X(result) holds, or until nothing changes.",
         .parameters = std::string(kSteps).append(kRules),
         .example = "accumulate(add, 1 2 3) -> [1,3,6]"},
        {.rolling = accumulatedStates});
    registry.add(
        "reduce(func, [X], [init], [assembleRule='D'], [consistent=false])", reduceKernel,
        {.summary = "The last result of accumulate.",
         .parameters = std::string(kSteps).append("assembleRule: as that of accumulate, without effect on one result\n"
                                                  "consistent: as that of accumulate, without effect on one result"),
         .example = "reduce(mul, 1 2 3 4) -> 24"});
    registry.add("cross(func, X, [Y])", crossKernel<false>,
                 {.summary = "The matrix of func(X[i], Y[j]), labelled by X and Y; X with itself without Y.",
                  .parameters = kPairs,
                  .complexity = "rows times columns calls",
                  .example = "flatten(cross(add, 1 2, 10 20)) -> [11,12,21,22]"});
    registry.add("pcross(func, X, [Y])", crossKernel<true>,
                 {.summary = "As cross, with the calls spread over the worker threads.",
                  .parameters = kPairs,
                  .complexity = "rows times columns calls",
                  .example = "flatten(pcross(add, 1 2, 10 20)) -> [11,12,21,22]"});
    registry.add(
        "eachByRule(func, assembleRule, args...)", eachByRuleKernel,
        {.summary = "As each, with the rule by which the results are put together: what f:EU(x) means.",
         .parameters =
             "func: a function of as many arguments as args\n"
             "assembleRule: how the results become one value: \"D\" by what they are, \"C\" by the first, all alike, "
             "\"U\" a tuple, \"K\" as \"D\", but a tuple where a result is a vector; or a BOOL, true for \"C\"\n"
             "args: what is walked in step, as by each",
         .example = "eachByRule(asis, `U, 1 2) -> (1,2)"});
    registry.add(
        "byColumn(func, X, [Y])", byColumnKernel,
        {.summary = "func of each column.",
         .parameters = "func: a function of one vector, or of two with Y\n"
                       "X: a matrix, table or tuple of vectors; of an array vector the columns that its rows form\n"
                       "Y: one with as many columns, whose columns are the second arguments",
         .example = "byColumn(sum, 1 2 3 4$2:2) -> [3,7]"},
        {.rolling = columnwiseStates});
    registry.add("byRow(func, X, [Y])", byRowKernel,
                 {.summary = "func of each row: one value a row, or the same shape when func gives a vector.",
                  .parameters = "func: a function of one vector, or of two with Y\n"
                                "X: a matrix, table, tuple of vectors or array vector\n"
                                "Y: one with as many rows, whose rows are the second arguments",
                  .example = "byRow(sum, 1 2 3 4$2:2) -> [4,6]"});
}

}  // namespace pelorus
