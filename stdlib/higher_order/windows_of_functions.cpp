// Any function over moving windows or runs of rows, and operators that treat NULL apart: HOF-06 … HOF-11.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/kernel/assemble.h"
#include "runtime/kernel/cast.h"
#include "runtime/kernel/index.h"
#include "runtime/kernel/operators.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

const Function& functionArgument(Arguments a) {
    if (!a[0].isFunction()) refuseArgument(0, "func", "a function", a[0]);
    return a[0].function();
}

// funcArgs: one vector, or a tuple of vectors of one length.
std::vector<Value> columnsArgument(Arguments a, size_t i) {
    std::vector<Value> columns = a[i].isTuple() ? a[i].tuple().items : std::vector<Value>{a[i]};
    for (const Value& column : columns) {
        if (!column.isVector()) refuseArgument(i, "funcArgs", "a vector, or a tuple of vectors", a[i]);
        if (column.size() != columns[0].size()) {
            throw UserError(static_cast<int>(i), fmt::format("The vectors don't have the same length: {} and {}.",
                                                             columns[0].size(), column.size()));
        }
    }
    if (columns.empty()) refuseArgument(i, "funcArgs", "a vector, or a tuple of vectors", a[i]);
    return columns;
}

Value rowsOf(const Value& column, int64_t begin, int64_t end) {
    if (!column.isTuple()) return Value::of(column.vector().slice(begin, end - begin));
    const auto& items = column.tuple().items;
    return Value::of(makeRef<Tuple>(std::vector<Value>(items.begin() + begin, items.begin() + end)));
}

Value callOn(Context& context, const Function& f, const std::vector<Value>& columns, int64_t begin, int64_t end) {
    context.checkCancelled();
    std::vector<Value> step;
    for (const Value& column : columns) step.push_back(rowsOf(column, begin, end));
    return f.call(context, step);
}

// Rows without a result take the NULL of the others' type.
Value withNulls(std::vector<Value> results) {
    Type type = Type::Void;
    for (const Value& v : results) {
        if (v.isScalar() && !v.isVoid()) type = v.type();
    }
    if (type == Type::Void) return listOf(std::move(results));
    for (Value& v : results) {
        if (v.isVoid()) v = Value::nullOf(type);
    }
    return listOf(std::move(results));
}

// moving(func, funcArgs, window, [minPeriods])
Value movingKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> columns = columnsArgument(a, 1);
    int64_t window = integerArgument(a, 2, "window");
    if (window < 1) refuseArgument(2, "window", "at least 1", a[2]);
    int64_t least = integerArgument(a, 3, "minPeriods", window);
    if (least < 1 || least > window) refuseArgument(3, "minPeriods", "between 1 and window", a[3]);
    std::vector<Value> results(static_cast<size_t>(columns[0].size()));
    for (int64_t i = least - 1; i < columns[0].size(); ++i) {
        results[static_cast<size_t>(i)] = callOn(context, f, columns, std::max<int64_t>(0, i + 1 - window), i + 1);
    }
    return withNulls(std::move(results));
}

// window(func, funcArgs, a:b): positions i+a … i+b, clipped.
Value windowKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> columns = columnsArgument(a, 1);
    if (!a[2].isPair()) refuseArgument(2, "range", "a pair", a[2]);
    int64_t from = a[2].vector().asLong(0), to = a[2].vector().asLong(1), rows = columns[0].size();
    if (from > to) refuseArgument(2, "range", "rising", a[2]);
    std::vector<Value> results(static_cast<size_t>(rows));
    for (int64_t i = 0; i < rows; ++i) {
        int64_t begin = std::max<int64_t>(0, i + from), end = std::min(rows, i + to + 1);
        if (begin < end) results[static_cast<size_t>(i)] = callOn(context, f, columns, begin, end);
    }
    return withNulls(std::move(results));
}

// rolling(func, funcArgs, window, [step=1]): complete windows only.
Value rollingKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> columns = columnsArgument(a, 1);
    int64_t window = integerArgument(a, 2, "window"), step = integerArgument(a, 3, "step", 1);
    if (window < 1) refuseArgument(2, "window", "at least 1", a[2]);
    if (step < 1) refuseArgument(3, "step", "at least 1", a[3]);
    std::vector<Value> results;
    Value joined;
    for (int64_t end = window; end <= columns[0].size(); end += step) {
        Value result = callOn(context, f, columns, end - window, end);
        if (result.isVector() && step == window) {
            joined = joined.isVoid() ? result : joinValues(joined, result);
        } else {
            results.push_back(std::move(result));
        }
    }
    return joined.isVoid() ? listOf(std::move(results)) : joined;
}

// segmentby(func, funcArgs, segment): over runs of equal items of segment, in place.
Value segmentbyKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> columns = columnsArgument(a, 1);
    Ref<Vector> segment = vectorArgument(a, 2, "segment");
    if (segment->size() != columns[0].size()) throw UserError(2, "segment and funcArgs differ in length.");
    std::vector<Value> results;
    for (int64_t begin = 0; begin < segment->size();) {
        int64_t end = begin + 1;
        while (end < segment->size() && identical(segment->at(begin), segment->at(end))) ++end;
        Value result = callOn(context, f, columns, begin, end);
        for (int64_t i = begin; i < end; ++i) results.push_back(result.isScalar() ? result : result.at(i - begin));
        begin = end;
    }
    return listOf(std::move(results));
}

Value isNullOf(const Value& v) {
    if (v.isScalar()) return Value::ofBool(v.isNull());
    Ref<Vector> out = Vector::make(Type::Bool, v.size());
    for (int64_t i = 0; i < v.size(); ++i) out->mutableItems<int8_t>()[i] = v.vector().isNullAt(i);
    return Value::of(out);
}

// withNullFill(func, x, y, fillValue): a NULL on one side only is filled.
Value withNullFillKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    Value xNull = isNullOf(a[1]), yNull = isNullOf(a[2]);
    Value x = selectItems(applyBinary(Operator::And, xNull, applyUnary(Operator::Not, yNull)), a[3], a[1]);
    Value y = selectItems(applyBinary(Operator::And, yNull, applyUnary(Operator::Not, xNull)), a[3], a[2]);
    std::vector<Value> call = {x, y};
    return f.call(context, call);
}

// nullCompare(func, x, y): a comparison that is NULL where a side is NULL.
Value nullCompareKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> call = {a[1], a[2]};
    Value result = f.call(context, call);
    Value missing = isNullOf(a[1]);
    if (!a[2].isPair()) {
        missing = applyBinary(Operator::Or, missing, isNullOf(a[2]));
    } else if (a[2].vector().hasNull()) {
        missing = Value::ofBool(true);
    }
    if (missing.isScalar()) {
        if (!missing.integer()) return result;
        if (result.isScalar()) return Value::nullOf(Type::Bool);
        return Value::of(Vector::filled(Type::Bool, result.size(), Value::nullOf(Type::Bool)));
    }
    return selectItems(missing, Value::nullOf(Type::Bool), result);
}

}  // namespace

void registerWindowsOfFunctions(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view errors,
                   std::string_view example) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .errors = errors,
                      .complexity = "One call of func per window; the m… functions are faster.",
                      .example = example},
                     {.orderSensitive = true});
    };
    add("moving(func, funcArgs, window, [minPeriods])", movingKernel,
        "func of the last `window` rows, for each row; NULL for rows with fewer.",
        "The vectors differ in length, or the window is below 1.", "moving(sum, 1 2 3 4, 2) -> [,3,5,7]");
    add("window(func, funcArgs, range)", windowKernel,
        "func of the rows i+a to i+b for each row i, clipped at the ends.", "The range falls.",
        "window(sum, 1 2 3 4, -1:1) -> [3,6,9,7]");
    add("rolling(func, funcArgs, window, [step=1])", rollingKernel, "func of each complete window, every `step` rows.",
        "The window or step is below 1.", "rolling(sum, 1 2 3 4, 2, 2) -> [3,7]");
    add("segmentby(func, funcArgs, segment)", segmentbyKernel,
        "func of each run of equal items of segment, one result per row.", "The vectors differ in length.",
        "segmentby(cumsum, 1 2 3 4, 1 1 2 2) -> [1,3,3,7]");
    add("withNullFill(func, x, y, fillValue)", withNullFillKernel,
        "func of x and y, where a NULL on one side only counts as the fill value.", "",
        "withNullFill(add, 1 NULL NULL, 1 2 NULL, 0) -> [2,2,]");
    add("nullCompare(func, X, Y)", nullCompareKernel, "The comparison of X and Y, NULL where a side is NULL.", "",
        "nullCompare(<, 1 NULL, 2) -> [true,]");
}

}  // namespace pelorus
