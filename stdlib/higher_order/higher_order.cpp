// Functions that call functions over parts of their arguments: HOF-01 … HOF-13.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/thread_pool.h"
#include "runtime/dictionary.h"
#include "runtime/format/print.h"
#include "runtime/function_registry.h"
#include "runtime/kernel/assemble.h"
#include "runtime/kernel/cast.h"
#include "runtime/kernel/promotion.h"
#include "runtime/kernel/row_index.h"
#include "runtime/table.h"
#include "runtime/vector.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

const Function& functionOf(const Value& v, int argument = 0) {
    if (!v.isFunction()) {
        throw UserError(argument, fmt::format("func must be a function, but it is {}.", typeString(v)));
    }
    return v.function();
}

// How many parts a value falls into: elements, columns of a matrix, rows of a table; -1 for a scalar, which repeats.
int64_t partCount(const Value& v) {
    if (v.isScalar()) return -1;
    return v.isMatrix() ? v.matrix().columns : v.size();
}

// The number of steps over several arguments; all that are no scalars must agree.
int64_t commonCount(std::span<const Value> arguments) {
    int64_t count = -1;
    for (const Value& v : arguments) {
        int64_t n = partCount(v);
        if (n < 0) continue;
        if (count >= 0 && n != count) {
            throw UserError(fmt::format("The arguments to walk in step differ in length: {} and {}.", count, n));
        }
        count = n;
    }
    return count;
}

std::vector<Value> stepArguments(std::span<const Value> arguments, int64_t i) {
    std::vector<Value> step;
    for (const Value& v : arguments) step.push_back(partCount(v) < 0 ? v : v.at(i));
    return step;
}

Value callWith(const Function& f, Context& context, std::vector<Value> arguments) {
    return f.call(context, arguments);
}

std::vector<Value> mapSteps(Context& context, Arguments arguments, bool parallel) {
    const Function& f = functionOf(arguments[0]);
    std::span<const Value> data = arguments.subspan(1);
    int64_t count = commonCount(data);
    if (count < 0) return {callWith(f, context, {data.begin(), data.end()})};
    std::vector<Value> results(static_cast<size_t>(count));
    auto step = [&](Context& own, int64_t i) {
        own.checkCancelled();
        results[static_cast<size_t>(i)] = callWith(f, own, stepArguments(data, i));
    };
    if (parallel) {
        parallelFor(count, [&](int64_t i) {
            Context own = context;
            own.callDepth = 0;
            step(own, i);
        });
    } else {
        for (int64_t i = 0; i < count; ++i) step(context, i);
    }
    return results;
}

// Results over a dictionary keep its keys.
Value withKeys(const Value& source, std::vector<Value> results) {
    const Dictionary& d = source.dictionary();
    auto result = makeRef<Dictionary>(d.keyType(), Type::Any, d.ordered());
    for (int64_t i = 0; i < d.size(); ++i) result->set(d.keyAt(i), results[static_cast<size_t>(i)]);
    return Value::of(result);
}

Value scalarWhenNoParts(Arguments arguments, std::vector<Value> results, Value (*put)(std::vector<Value>)) {
    if (commonCount(arguments.subspan(1)) < 0) return results[0];
    if (arguments.size() == 2 && arguments[1].isDictionary()) return withKeys(arguments[1], std::move(results));
    return put(std::move(results));
}

Value asTuple(std::vector<Value> items) {
    return Value::of(makeRef<Tuple>(std::move(items)));
}

Value eachKernel(Context& context, Arguments arguments) {
    return scalarWhenNoParts(arguments, mapSteps(context, arguments, false), assemble);
}
Value peachKernel(Context& context, Arguments arguments) {
    return scalarWhenNoParts(arguments, mapSteps(context, arguments, true), assemble);
}
Value loopKernel(Context& context, Arguments arguments) {
    return asTuple(mapSteps(context, arguments, false));
}
Value ploopKernel(Context& context, Arguments arguments) {
    return asTuple(mapSteps(context, arguments, true));
}

Value eachLeftKernel(Context& context, Arguments arguments) {
    const Function& f = functionOf(arguments[0]);
    int64_t n = std::max<int64_t>(partCount(arguments[1]), 0);
    std::vector<Value> results;
    if (partCount(arguments[1]) < 0) return callWith(f, context, {arguments[1], arguments[2]});
    for (int64_t i = 0; i < n; ++i) results.push_back(callWith(f, context, {arguments[1].at(i), arguments[2]}));
    return assemble(std::move(results));
}

Value eachRightKernel(Context& context, Arguments arguments) {
    const Function& f = functionOf(arguments[0]);
    if (partCount(arguments[2]) < 0) return callWith(f, context, {arguments[1], arguments[2]});
    std::vector<Value> results;
    for (int64_t i = 0; i < partCount(arguments[2]); ++i) {
        results.push_back(callWith(f, context, {arguments[1], arguments[2].at(i)}));
    }
    return assemble(std::move(results));
}

Value nullLike(const std::vector<Value>& results) {
    for (size_t i = 1; i < results.size(); ++i) {
        if (results[i].isScalar() && !results[i].isVoid()) return Value::nullOf(results[i].type());
    }
    return Value();
}

Value eachPreKernel(Context& context, Arguments arguments) {
    const Function& f = functionOf(arguments[0]);
    const Value& x = arguments[1];
    int64_t n = std::max<int64_t>(partCount(x), 0);
    std::vector<Value> results(static_cast<size_t>(n));
    for (int64_t i = 1; i < n; ++i) results[static_cast<size_t>(i)] = callWith(f, context, {x.at(i), x.at(i - 1)});
    if (n > 0) results[0] = isOmitted(arguments[2]) ? nullLike(results) : callWith(f, context, {x.at(0), arguments[2]});
    return assemble(std::move(results));
}

Value eachPostKernel(Context& context, Arguments arguments) {
    const Function& f = functionOf(arguments[0]);
    const Value& x = arguments[1];
    int64_t n = std::max<int64_t>(partCount(x), 0);
    std::vector<Value> results(static_cast<size_t>(n));
    for (int64_t i = 0; i + 1 < n; ++i) results[static_cast<size_t>(i)] = callWith(f, context, {x.at(i), x.at(i + 1)});
    if (n > 0 && !isOmitted(arguments[2])) {
        results.back() = callWith(f, context, {x.at(n - 1), arguments[2]});
    } else if (n > 1) {
        results.back() = results[0].isScalar() ? Value::nullOf(results[0].type()) : Value();
    }
    return assemble(std::move(results));
}

// The running results of HOF-05, by the number of parameters of func.
std::vector<Value> accumulateSteps(Context& context, Arguments arguments) {
    const Function& f = functionOf(arguments[0]);
    const Value& x = arguments[1];
    bool hasInit = arguments.size() > 2 && !isOmitted(arguments[2]);
    int arity = f.signature().minArguments();
    std::vector<Value> results;
    if (arity == 1 && hasInit) {
        Value current = arguments[2];
        results.push_back(current);
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
                if (identical(before, current)) {
                    results.pop_back();
                    break;
                }
            }
        } else {
            for (int64_t i = 0; i < x.asLong(); ++i) step();
        }
        return results;
    }
    bool ternary = arity == 3 && x.isTuple() && x.size() == 2;
    const Value first = ternary ? x.at(0) : x;
    int64_t n = std::max<int64_t>(partCount(first), 0);
    if (partCount(first) < 0) {
        return {hasInit ? callWith(f, context, {arguments[2], first}) : first};
    }
    Value current = hasInit ? arguments[2] : Value();
    for (int64_t i = 0; i < n; ++i) {
        context.checkCancelled();
        if (i == 0 && !hasInit && !ternary) {
            current = first.at(0);
        } else if (ternary) {
            current = callWith(f, context, {current, first.at(i), x.at(1).at(i)});
        } else {
            current = callWith(f, context, {current, first.at(i)});
        }
        results.push_back(current);
    }
    return results;
}

Value accumulateKernel(Context& context, Arguments arguments) {
    return assemble(accumulateSteps(context, arguments));
}

Value reduceKernel(Context& context, Arguments arguments) {
    std::vector<Value> results = accumulateSteps(context, arguments);
    if (results.empty()) return isOmitted(arguments[2]) ? Value() : arguments[2];
    return results.back();
}

Value crossKernel(Context& context, Arguments arguments) {
    const Function& f = functionOf(arguments[0]);
    const Value& x = arguments[1];
    const Value& y = isOmitted(arguments[2]) ? x : arguments[2];
    int64_t rows = std::max<int64_t>(partCount(x), 0), columns = std::max<int64_t>(partCount(y), 0);
    std::vector<Value> cells;
    for (int64_t c = 0; c < columns; ++c) {
        for (int64_t r = 0; r < rows; ++r) cells.push_back(callWith(f, context, {x.at(r), y.at(c)}));
    }
    Value flat = listOf(std::move(cells));
    if (flat.isTuple()) return flat;
    auto result = makeRef<Matrix>(Ref<Vector>(&flat.vector()), rows, columns);
    if (x.isTypedVector()) result->rowLabels = x;
    if (y.isTypedVector()) result->columnLabels = y;
    return Value::of(result);
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
        results.push_back(callWith(f, context, std::move(step)));
    }
    const bool scalars = std::all_of(results.begin(), results.end(), [](const Value& v) { return v.isScalar(); });
    if (scalars) return listOf(std::move(results));
    // Columns back to rows as long as those of X.
    std::vector<Value> rows;
    for (int64_t r = 0; r < x.size(); ++r) {
        std::vector<Value> items;
        for (int64_t c = 0; c < x.at(r).size(); ++c) items.push_back(results[static_cast<size_t>(c)].at(r));
        rows.push_back(listOf(std::move(items)));
    }
    return rowsFrom(std::move(rows), x.isTuple());
}

Value byColumnKernel(Context& context, Arguments arguments) {
    const Function& f = functionOf(arguments[0]);
    const Value& x = arguments[1];
    if (x.isTable()) {
        auto* table = dynamic_cast<MemoryTable*>(&x.table());
        if (!table) throw UserError(1, "X must not be a partitioned table.");
        auto result = makeRef<MemoryTable>();
        for (int i = 0; i < table->columnCount(); ++i) {
            Value v = callWith(f, context, {table->column(i)});
            result->setColumn(table->columns()[static_cast<size_t>(i)].name, v.isScalar() ? listOf({v}) : v);
        }
        return Value::of(Ref<Table>(result));
    }
    std::vector<Value> results;
    if (isRowwise(x)) return byColumnOfRows(f, context, x, arguments[2]);
    for (int64_t i = 0; i < std::max<int64_t>(partCount(x), 0); ++i) {
        std::vector<Value> step{x.at(i)};
        if (!isOmitted(arguments[2])) step.push_back(arguments[2].isScalar() ? arguments[2] : arguments[2].at(i));
        results.push_back(callWith(f, context, std::move(step)));
    }
    return assemble(std::move(results));
}

// Rows back to the columns of a tuple.
Value tupleOfColumns(const std::vector<Value>& rows) {
    std::vector<Value> columns;
    for (int64_t c = 0; c < (rows.empty() ? 0 : rows[0].size()); ++c) {
        std::vector<Value> items;
        for (const Value& row : rows) items.push_back(row.at(c));
        columns.push_back(listOf(std::move(items)));
    }
    return Value::of(makeRef<Tuple>(std::move(columns)));
}

Value byRowKernel(Context& context, Arguments arguments) {
    const Function& f = functionOf(arguments[0]);
    const Value& x = arguments[1];
    int64_t rows = rowCountOf(x);
    std::vector<Value> results;
    for (int64_t r = 0; r < rows; ++r) {
        std::vector<Value> step{rowOf(x, r)};
        if (!isOmitted(arguments[2])) step.push_back(rowOf(arguments[2], r));
        results.push_back(callWith(f, context, std::move(step)));
    }
    bool scalars = std::all_of(results.begin(), results.end(), [](const Value& v) { return v.isScalar(); });
    if (isRowwise(x) && !scalars) return rowsFrom(std::move(results), x.isTuple());
    if (x.isTuple() && !scalars) return tupleOfColumns(results);
    if (scalars || !x.isMatrix()) return assemble(std::move(results));
    // A vector function gives a matrix of the same shape: rows back to columns.
    int64_t columns = results.empty() ? 0 : results[0].size();
    std::vector<Value> byColumns;
    for (int64_t c = 0; c < columns; ++c) {
        std::vector<Value> items;
        for (const Value& row : results) items.push_back(row.at(c));
        byColumns.push_back(listOf(std::move(items)));
    }
    return assemble(std::move(byColumns));
}

Value callKernel(Context& context, Arguments arguments) {
    return callWith(functionOf(arguments[0]), context, {arguments.begin() + 1, arguments.end()});
}

Value unifiedCallKernel(Context& context, Arguments arguments) {
    if (!arguments[1].isTuple()) return callWith(functionOf(arguments[0]), context, {arguments[1]});
    return callWith(functionOf(arguments[0]), context, arguments[1].tuple().items);
}

// Rows of a grouped call: positions of each distinct key, keys ascending.
Value groupbyKernel(Context& context, Arguments arguments) {
    const Function& f = functionOf(arguments[0]);
    std::vector<Value> data = arguments[1].isTuple() ? arguments[1].tuple().items : std::vector<Value>{arguments[1]};
    const Value& key = arguments[2];
    KeyIndex index(key.type());
    std::vector<std::vector<int32_t>> rows;
    for (int64_t i = 0; i < key.size(); ++i) {
        auto g = static_cast<size_t>(index.insert(key.at(i)));
        if (g == rows.size()) rows.emplace_back();
        rows[g].push_back(static_cast<int32_t>(i));
    }
    std::vector<Value> keys, results;
    for (size_t g = 0; g < rows.size(); ++g) {
        std::vector<Value> step;
        for (const Value& v : data) {
            step.push_back(
                v.isScalar() ? v : Value::of(v.vector().gather(rows[g].data(), static_cast<int64_t>(rows[g].size()))));
        }
        keys.push_back(index.key(static_cast<int64_t>(g)));
        results.push_back(callWith(f, context, std::move(step)));
    }
    auto table = makeRef<MemoryTable>();
    table->setColumn("key", listOf(std::move(keys)));
    table->setColumn(f.name().empty() ? "value" : f.name(), listOf(std::move(results)));
    return Value::of(Ref<Table>(table));
}

Value contextbyKernel(Context& context, Arguments arguments) {
    const Function& f = functionOf(arguments[0]);
    std::vector<Value> data = arguments[1].isTuple() ? arguments[1].tuple().items : std::vector<Value>{arguments[1]};
    const Value& key = arguments[2];
    KeyIndex index(key.type());
    std::vector<std::vector<int32_t>> rows;
    for (int64_t i = 0; i < key.size(); ++i) {
        auto g = static_cast<size_t>(index.insert(key.at(i)));
        if (g == rows.size()) rows.emplace_back();
        rows[g].push_back(static_cast<int32_t>(i));
    }
    std::vector<Value> results(static_cast<size_t>(key.size()));
    for (const std::vector<int32_t>& group : rows) {
        std::vector<Value> step;
        for (const Value& v : data) {
            step.push_back(
                v.isScalar() ? v : Value::of(v.vector().gather(group.data(), static_cast<int64_t>(group.size()))));
        }
        Value result = callWith(f, context, std::move(step));
        for (size_t i = 0; i < group.size(); ++i) {
            results[static_cast<size_t>(group[i])] = result.isScalar() ? result : result.at(static_cast<int64_t>(i));
        }
    }
    return listOf(std::move(results));
}

}  // namespace

void registerHigherOrder(FunctionRegistry& registry) {
    constexpr std::string_view kWalk =
        "Vectors, pairs and tuples are walked by element, matrices by column, tables by row, dictionaries by value.";
    registry.add("each(func, args...)", eachKernel,
                 {.summary = "func of each part of the arguments in step; scalars repeat. Scalars become a vector, "
                             "equally long vectors a matrix, dictionaries a table.",
                  .parameters = kWalk,
                  .example = "each(x -> x * x, 1 2 3) -> [1,4,9]"});
    registry.add("peach(func, args...)", peachKernel,
                 {.summary = "As each, with the calls spread over the worker threads.",
                  .example = "peach(x -> x + 1, 1 2 3) -> [2,3,4]"});
    registry.add(
        "loop(func, args...)", loopKernel,
        {.summary = "As each, but the results are always a tuple.", .example = "loop(max, [1 2, 3 4]) -> (2,4)"});
    registry.add("ploop(func, args...)", ploopKernel,
                 {.summary = "As loop, with the calls spread over the worker threads.",
                  .example = "ploop(x -> x + 1, 1 2) -> (2,3)"});
    registry.add("eachLeft(func, X, Y)", eachLeftKernel,
                 {.summary = "func(X[i], Y) for each part of X.", .example = "eachLeft(add, 1 2, 10) -> [11,12]"});
    registry.add("eachRight(func, X, Y)", eachRightKernel,
                 {.summary = "func(X, Y[i]) for each part of Y.", .example = "eachRight(sub, 10, 1 2) -> [9,8]"});
    registry.add("eachPre(func, X, [pre])", eachPreKernel,
                 {.summary = "func(X[i], X[i-1]) for each i; the first is func(X[0], pre), or NULL without pre.",
                  .example = "eachPre(sub, 1 3 6) -> [,2,3]"});
    registry.add("eachPost(func, X, [post])", eachPostKernel,
                 {.summary = "func(X[i], X[i+1]) for each i; the last is func(X[n-1], post), or NULL without post.",
                  .example = "eachPost(sub, 1 3 6) -> [-2,-3,]"});
    registry.add(
        "accumulate(func, X, [init])", accumulateKernel,
        {.summary = "The running results of applying func to the result so far and the next part of X. A unary "
                    "func is repeated on init: X times, while X(result) holds, or until nothing changes.",
         .example = "accumulate(add, 1 2 3) -> [1,3,6]"});
    registry.add("reduce(func, X, [init])", reduceKernel,
                 {.summary = "The last result of accumulate.", .example = "reduce(mul, 1 2 3 4) -> 24"});
    registry.add("cross(func, X, [Y])", crossKernel,
                 {.summary = "The matrix of func(X[i], Y[j]), labelled by X and Y; X with itself without Y.",
                  .complexity = "rows times columns calls"});
    registry.add("byColumn(func, X, [Y])", byColumnKernel,
                 {.summary = "func of each column.", .example = "byColumn(sum, 1 2 3 4$2:2) -> [3,7]"});
    registry.add("byRow(func, X, [Y])", byRowKernel,
                 {.summary = "func of each row: one value a row, or the same shape when func gives a vector.",
                  .example = "byRow(sum, 1 2 3 4$2:2) -> [4,6]"});
    registry.add("call(func, args...)", callKernel, {.summary = "func(args…).", .example = "call(add, 1, 2) -> 3"});
    registry.add(
        "unifiedCall(func, args)", unifiedCallKernel,
        {.summary = "func with the items of a tuple as its arguments.", .example = "unifiedCall(add, (1, 2)) -> 3"});
    registry.add("groupby(func, funcArgs, groupingCol, [sortKeyFunction])", groupbyKernel,
                 {.summary = "func of the rows of each distinct key, as a table of keys and results."});
    registry.add("contextby(func, funcArgs, groupingCol, [sortingCol], [semanticFilter], [asc])", contextbyKernel,
                 {.summary = "func of the rows of each distinct key; the results stand where the rows were.",
                  .example = "contextby(sum, 1 2 3, `a`b`a) -> [4,2,4]"});
}

}  // namespace pelorus
