// Any function over moving windows, and operators with special rules for NULL.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/error.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/index/row_index.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/registry/time_reach.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/higher_order/function_windows.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

int64_t rowsIn(const Value& v) {
    return v.isMatrix() ? v.matrix().rows : v.size();
}

// funcArgs: one vector, matrix, table or dictionary, or a tuple of several with as many rows.
std::vector<Value> dataArgument(Arguments a, size_t i) {
    bool several = a[i].isTuple() && a[i].size() > 0 && !a[i].at(0).isScalar();
    std::vector<Value> data = several ? a[i].tuple().elements : std::vector<Value>{a[i]};
    for (Value& v : data) {
        if (v.isDictionary()) v = v.dictionary().values();
        if (!v.isVector() && !v.isMatrix() && !v.isTable())
            refuseArgument(i, "funcArgs", "a vector, matrix or table, or a tuple of them", v);
        if (rowsIn(v) != rowsIn(data[0])) {
            throw UserError(static_cast<int>(i), fmt::format("The vectors don't have the same length: {} and {}.",
                                                             rowsIn(data[0]), rowsIn(v)));
        }
    }
    return data;
}

Value rowsOf(const Value& column, int64_t begin, int64_t end) {
    if (column.isTable()) {
        std::vector<int32_t> rows(static_cast<size_t>(end - begin));
        std::iota(rows.begin(), rows.end(), static_cast<int32_t>(begin));
        return takeRows(column, *Vector::of(Type::Int, rows));
    }
    if (!column.isTuple()) return Value::of(column.vector().slice(begin, end - begin));
    const auto& elements = column.tuple().elements;
    return Value::of(makeRef<Tuple>(std::vector<Value>(elements.begin() + begin, elements.begin() + end)));
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

// Makes one call of func per range; the result of a range with fewer than `minRows` rows without NULL is NULL.
std::vector<Value> callsOver(Context& context, const Function& f, const std::vector<Value>& columns,
                             const RowRanges& ranges, int64_t minRows) {
    std::vector<int64_t> validBefore;
    if (minRows > 0) {
        int64_t rows = rowsIn(columns[0]);
        validBefore.resize(static_cast<size_t>(rows) + 1);
        for (int64_t i = 0; i < rows; ++i) {
            bool valid = std::none_of(columns.begin(), columns.end(),
                                      [&](const Value& v) { return v.isTypedVector() && v.vector().isNullAt(i); });
            validBefore[static_cast<size_t>(i) + 1] = validBefore[static_cast<size_t>(i)] + valid;
        }
    }
    std::vector<Value> results(ranges.size());
    for (size_t i = 0; i < ranges.size(); ++i) {
        auto [begin, end] = ranges[i];
        context.checkCancelled();
        if (begin >= end) continue;
        if (minRows > 0 && validBefore[static_cast<size_t>(end)] - validBefore[static_cast<size_t>(begin)] < minRows)
            continue;
        std::vector<Value> step;
        for (const Value& column : columns) step.push_back(rowsOf(column, begin, end));
        results[i] = f.call(context, step);
    }
    return results;
}

using PutColumn = Value (*)(std::vector<Value> results);

// Matrices are walked column by column, each with the other arguments. `labels` are the rows of the result.
Value overRanges(Context& context, const Function& f, const std::vector<Value>& data, const RowRanges& ranges,
                 int64_t minRows, PutColumn put) {
    const Value* shape = nullptr;
    for (const Value& v : data) {
        if (!v.isMatrix()) continue;
        if (shape && shape->matrix().columns != v.matrix().columns)
            throw UserError(1, "The matrices differ in their number of columns.");
        if (!shape) shape = &v;
    }
    if (!shape) return put(callsOver(context, f, data, ranges, minRows));
    const Matrix& m = shape->matrix();
    std::vector<Value> columns;
    for (int64_t c = 0; c < m.columns; ++c) {
        std::vector<Value> step = data;
        for (Value& v : step) {
            if (v.isMatrix()) v = Value::of(v.matrix().column(c));
        }
        columns.push_back(put(callsOver(context, f, step, ranges, minRows)));
    }
    return assembleResults(std::move(columns), AssembleRule::Default, *shape);
}

// Results over a dictionary keep its keys.
Value likeArgument(Value results, const Value& given) {
    if (!given.isDictionary()) return results;
    if (results.isMatrix()) return assembleResults(columnsOf(results), AssembleRule::Default, given);
    std::vector<Value> elements;
    for (int64_t i = 0; i < results.size(); ++i) elements.push_back(results.at(i));
    return assembleResults(std::move(elements), AssembleRule::Default, given);
}

const Matrix* indexedArgument(const std::vector<Value>& data) {
    for (const Value& v : data) {
        if (v.isMatrix() && v.matrix().isIndexed()) return &v.matrix();
    }
    return nullptr;
}

TimeAxis axisOf(const Matrix& indexed) {
    return TimeAxis(Ref<Vector>(&indexed.rowLabels.vector()), 1, "The index of funcArgs");
}

// moving(func, funcArgs, window, [minPeriods])
Value movingKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> data = dataArgument(a, 1);
    if (const Matrix* indexed = indexedArgument(data)) {
        int64_t minRows = integerArgument(a, 3, "minPeriods", 1);
        return overRanges(context, f, data, trailingRanges(axisOf(*indexed), a[2], 2), minRows, withNulls);
    }
    int64_t window = integerArgument(a, 2, "window");
    if (window < 1) refuseArgument(2, "window", "at least 1", a[2]);
    int64_t minRows = integerArgument(a, 3, "minPeriods", window);
    if (minRows < 1 || minRows > window) refuseArgument(3, "minPeriods", "between 1 and window", a[3]);
    RowRanges ranges = movingRanges(rowsIn(data[0]), window, minRows);
    return likeArgument(overRanges(context, f, data, ranges, isGiven(a, 3) ? minRows : 0, withNulls), a[1]);
}

void requirePair(Arguments a, size_t i) {
    if (!a[i].isPair() || a[i].vector().hasNull()) refuseArgument(i, "range", "a pair", a[i]);
}

// window(func, funcArgs, a:b): positions i+a … i+b, clipped; by label over an indexed matrix.
Value windowKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> data = dataArgument(a, 1);
    requirePair(a, 2);
    if (const Matrix* indexed = indexedArgument(data)) {
        RowRanges ranges = aroundRanges(axisOf(*indexed), a[2].at(0), a[2].at(1), Prevailing::No, 2);
        return overRanges(context, f, data, ranges, 0, withNulls);
    }
    if (!isIntegral(a[2].type())) {
        refuseArgument(2, "range", "a pair of integers, or funcArgs an indexed matrix or series", a[2]);
    }
    int64_t from = a[2].vector().asLong(0), to = a[2].vector().asLong(1);
    if (from > to) refuseArgument(2, "range", "rising", a[2]);
    RowRanges ranges = offsetRanges(rowsIn(data[0]), from, to);
    return likeArgument(overRanges(context, f, data, ranges, 0, withNulls), a[1]);
}

// rolling(func, funcArgs, window, [step=1]): complete windows only.
Value rollingKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> data = dataArgument(a, 1);
    int64_t window = integerArgument(a, 2, "window"), step = integerArgument(a, 3, "step", 1);
    if (window < 1) refuseArgument(2, "window", "at least 1", a[2]);
    if (step < 1) refuseArgument(3, "step", "at least 1", a[3]);
    RowRanges ranges;
    for (int64_t end = window; end <= rowsIn(data[0]); end += step) ranges.push_back({end - window, end});
    // A vector function returns the rows of its window; with step = window these are concatenated.
    auto put = [](std::vector<Value> results) {
        bool vectors = !results.empty() &&
                       std::all_of(results.begin(), results.end(), [](const Value& v) { return v.isTypedVector(); });
        if (!vectors) return listOf(std::move(results));
        Value joined = results[0];
        for (size_t i = 1; i < results.size(); ++i) joined = joinValues(joined, results[i]);
        return joined;
    };
    Value result = overRanges(context, f, data, ranges, 0, put);
    const Value* matrix = nullptr;
    for (const Value& v : data) matrix = v.isMatrix() && !matrix ? &v : matrix;
    if (!result.isMatrix() || !matrix || !matrix->matrix().rowLabels.isVector()) return result;
    int64_t rows = result.matrix().rows;
    std::vector<int32_t> labels;
    for (int64_t i = 0; i < rows; ++i) {
        bool perWindow = rows == static_cast<int64_t>(ranges.size());
        labels.push_back(static_cast<int32_t>(perWindow ? ranges[static_cast<size_t>(i)].begin : i));
    }
    result.matrix().rowLabels = takeRows(matrix->matrix().rowLabels, *Vector::of(Type::Int, labels));
    return result;
}

TimeAxis axisArgument(Arguments a, size_t i, size_t excluded) {
    TimeAxis times(vectorArgument(a, i, "T"), static_cast<int>(i), "T");
    if (isGiven(a, excluded)) times.exclude(a[excluded], static_cast<int>(excluded));
    return times;
}

void requireRows(const std::vector<Value>& data, const TimeAxis& times) {
    if (rowsIn(data[0]) != times.size()) {
        throw UserError(fmt::format("T and funcArgs differ in length: {} and {}.", times.size(), rowsIn(data[0])));
    }
}

// tmoving(func, T, funcArgs, window, [excludedPeriod])
Value tmovingKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    TimeAxis times = axisArgument(a, 1, 4);
    std::vector<Value> data = dataArgument(a, 2);
    requireRows(data, times);
    if (!a[3].isScalar() || a[3].isNull() || a[3].integer() < 1) refuseArgument(3, "window", "above 0", a[3]);
    return likeArgument(overRanges(context, f, data, trailingRanges(times, a[3], 3), 0, withNulls), a[2]);
}

Prevailing prevailingArgument(Arguments a, size_t i) {
    if (!isGiven(a, i)) return Prevailing::No;
    if (a[i].isScalar() && a[i].type() == Type::Bool) return isTrue(a[i]) ? Prevailing::Yes : Prevailing::No;
    int64_t number = integerArgument(a, i, "prevailing");
    if (number < 0 || number > 2) refuseArgument(i, "prevailing", "0, 1 or 2", a[i]);
    return static_cast<Prevailing>(number);
}

// twindow(func, funcArgs, T, range, [prevailing=false], [excludedPeriod])
Value twindowKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> data = dataArgument(a, 1);
    TimeAxis times = axisArgument(a, 2, 5);
    requireRows(data, times);
    Prevailing prevailing = prevailingArgument(a, 4);
    Value from, to;
    if (a[3].isPair()) {
        requirePair(a, 3);
        from = a[3].at(0);
        to = a[3].at(1);
    } else {
        refuseArgument(3, "range", "a pair of integers or durations", a[3]);
    }
    if (prevailing == Prevailing::Current) {
        if (isGiven(a, 5)) throw UserError(5, "excludedPeriod can't be used with prevailing = 2.");
        bool left = from.integer() == 0, right = to.integer() == 0;
        if (left && right) throw UserError(3, "0:0 is illegal window when prevailing = 2.");
        if (!left && !right) throw UserError(3, "left offset or right offset must be zero when prevailing = 2.");
    }
    return likeArgument(overRanges(context, f, data, aroundRanges(times, from, to, prevailing, 3), 0, withNulls), a[1]);
}

// The elements of an argument one after the other, and the ends of the rows.
struct FlatRows {
    Value elements;
    std::vector<int64_t> ends;
};
FlatRows flatRows(const Value& v) {
    FlatRows flat;
    if (isRowwise(v)) {
        for (int64_t r = 0; r < v.size(); ++r) {
            Value row = v.at(r);
            flat.elements = r == 0 ? row : joinValues(flat.elements, row);
            flat.ends.push_back(flat.elements.size());
        }
        return flat;
    }
    flat.elements = v;
    for (int64_t i = 1; i <= v.size(); ++i) flat.ends.push_back(i);
    return flat;
}

// Makes one call of func per row over the last `window` elements without NULL.
Value validWindows(Context& context, const Function& f, const std::vector<Value>& data, int64_t window, int64_t minRows,
                   bool combined) {
    std::vector<FlatRows> flat;
    for (const Value& v : data) flat.push_back(flatRows(v));
    size_t rows = flat[0].ends.size();
    for (const FlatRows& other : flat) {
        if (combined && other.ends != flat[0].ends) throw UserError(1, "The rows of funcArgs differ in length.");
    }
    std::vector<std::vector<int64_t>> valid(data.size());
    std::vector<int64_t> next(data.size(), 0);
    std::vector<Value> results(rows);
    auto present = [&](const FlatRows& v, int64_t i) {
        return v.elements.isTuple() || !v.elements.vector().isNullAt(i);
    };
    for (size_t r = 0; r < rows; ++r) {
        bool enough = true;
        for (size_t k = 0; k < flat.size(); ++k) {
            for (int64_t& i = next[k]; i < flat[k].ends[r]; ++i) {
                bool all = !combined ||
                           std::all_of(flat.begin(), flat.end(), [&](const FlatRows& v) { return present(v, i); });
                if (all && present(flat[k], i)) valid[k].push_back(i);
            }
            enough = enough && static_cast<int64_t>(valid[k].size()) >= minRows;
        }
        if (!enough) continue;
        context.checkCancelled();
        std::vector<Value> step;
        for (size_t k = 0; k < flat.size(); ++k) {
            auto count = std::min<int64_t>(window, static_cast<int64_t>(valid[k].size()));
            std::vector<int64_t> last(valid[k].end() - count, valid[k].end());
            step.push_back(takeRows(flat[k].elements, *Vector::of(Type::Long, last)));
        }
        results[r] = f.call(context, step);
    }
    return withNulls(std::move(results));
}

// movingValid(func, funcArgs, window, [minPeriods], [combined=true])
Value movingValidKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> data = dataArgument(a, 1);
    int64_t window = integerArgument(a, 2, "window");
    if (window < 1) refuseArgument(2, "window", "at least 1", a[2]);
    int64_t minRows = integerArgument(a, 3, "minPeriods", window);
    if (minRows < 1 || minRows > window) refuseArgument(3, "minPeriods", "between 1 and window", a[3]);
    bool combined = flagArgument(a, 4, "combined", true);
    if (!data[0].isMatrix()) return likeArgument(validWindows(context, f, data, window, minRows, combined), a[1]);
    std::vector<Value> columns = columnsOf(data[0]);
    for (Value& column : columns) column = validWindows(context, f, {column}, window, minRows, combined);
    return columnsLike(std::move(columns), data[0]);
}

Value isNullOf(const Value& v) {
    if (v.isScalar()) return Value::ofBool(v.isNull());
    if (v.isMatrix()) {
        Value cells = isNullOf(Value::of(v.matrix().cells));
        return Value::of(v.matrix().withCells(Ref<Vector>(&cells.vector())));
    }
    Ref<Vector> out = Vector::make(Type::Bool, v.size());
    for (int64_t i = 0; i < v.size(); ++i) {
        out->mutableData<int8_t>()[i] = v.isTuple() ? v.at(i).isScalar() && v.at(i).isNull() : v.vector().isNullAt(i);
    }
    return Value::of(out);
}

// A vector next to a matrix applies to every column.
Value inShapeOf(const Value& v, const Value& other) {
    if (!v.isVector() || !other.isMatrix() || v.size() != other.matrix().rows) return v;
    Ref<Vector> cells = Vector::make(v.type(), 0, other.size());
    for (int64_t c = 0; c < other.matrix().columns; ++c) cells->append(v.vector(), 0, v.size());
    return Value::of(other.matrix().withCells(cells));
}

// withNullFill(func, x, y, fillValue): a NULL on one side only is filled.
Value withNullFillKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    Value left = inShapeOf(a[1], a[2]), right = inShapeOf(a[2], a[1]);
    Value xNull = isNullOf(left), yNull = isNullOf(right);
    Value x = selectItems(applyBinary(Operator::And, xNull, applyUnary(Operator::Not, yNull)), a[3], left);
    Value y = selectItems(applyBinary(Operator::And, yNull, applyUnary(Operator::Not, xNull)), a[3], right);
    std::vector<Value> call = {x, y};
    return f.call(context, call);
}

// nullCompare(func, x, y): a comparison that is NULL where a side is NULL.
Value nullCompareKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> call = {a[1], a[2]};
    Value result = f.call(context, call);
    Value missing = isNullOf(a[1]);
    if (a[2].isPair()) {
        if (a[2].vector().hasNull()) missing = applyBinary(Operator::OrIgnoringNull, missing, Value::ofBool(true));
    } else if (!a[2].isSet() && (a[2].isScalar() || partCount(a[2]) == partCount(a[1]) || a[1].isScalar())) {
        missing = applyBinary(Operator::OrIgnoringNull, missing, isNullOf(a[2]));
    }
    if (missing.isScalar()) {
        if (!missing.integer()) return result;
        if (result.isScalar()) return Value::nullOf(Type::Bool);
        return Value::of(Vector::filled(Type::Bool, result.size(), Value::nullOf(Type::Bool)));
    }
    return selectItems(missing, Value::nullOf(Type::Bool), result);
}

// moving(func, funcArgs, window): a row's result depends on the rows of its window.
int64_t reachOfMoving(std::span<const Value> constants) {
    if (constants.size() < 3) return -1;
    const Value& window = constants[2];
    const bool isCount = window.isScalar() && window.isNumber() && isIntegral(window.type()) && !window.isNull();
    return isCount && window.asLong() >= 1 ? window.asLong() - 1 : -1;
}

// tmoving(func, T, funcArgs, window): times without a break tell the window.
int64_t reachOfTimedMoving(std::span<const Value> constants) {
    constexpr int kTimes = 1, kWindow = 3;
    constexpr size_t kBreak = 4;
    if (constants.size() <= kWindow || constants[kWindow].isVoid() || !constants[kWindow].isScalar()) return -1;
    const bool hasBreak = constants.size() > kBreak && !constants[kBreak].isVoid();
    return hasBreak ? -1 : reachInTime({.times = kTimes, .window = kWindow});
}

// window(func, funcArgs, range): back to the begin of a range that ends at the row or before it.
int64_t reachOfRange(std::span<const Value> constants) {
    if (constants.size() < 3 || !constants[2].isPair() || !isIntegral(constants[2].type())) return -1;
    const Vector& range = constants[2].vector();
    if (range.hasNull() || range.asLong(1) > 0 || range.asLong(0) > range.asLong(1)) return -1;
    return -range.asLong(0);
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "func: a function of as many arguments as funcArgs has vectors\n"
    "funcArgs: a vector, matrix or table, or a tuple of several with as many rows\n"
    "T: the times of the rows: a temporal or integral vector that does not fall\n"
    "window: rows of a window, an integer of at least 1\n"
    "moving.window: rows of a window, its own included, at least 1; over an indexed matrix a length of its labels or a "
    "DURATION\n"
    "movingValid.window: how many elements that are not NULL a window has, at least 1\n"
    "tmoving.window: length of a window, above 0: an integer in the unit of T or a DURATION\n"
    "minPeriods: how many rows without NULL a result needs, from 1 to window; when omitted only full windows give one\n"
    "movingValid.minPeriods: how many elements that are not NULL a result needs, from 1 to window; window when "
    "omitted\n"
    "combined: true passes over a row where any of funcArgs is NULL, false takes each of them on its own\n"
    "step: rows from one window to the next, an integer of at least 1\n"
    "window.range: a pair a:b of integers, rows relative to the row; over an indexed matrix relative to its label, "
    "durations too\n"
    "range: a pair a:b of integers in the unit of T, or of durations; both ends are in\n"
    "prevailing: 0 or false: the rows in the range; 1 or true: of those at or before its begin only the last; 2: an "
    "end of 0 is the row itself\n"
    "excludedPeriod: a break in each day, as 11:30:00 : 13:00:00, that is taken out of the times; needs T with times "
    "of day\n"
    "x: a scalar, vector or matrix\n"
    "y: as x; a vector next to a matrix goes with each of its columns\n"
    "fillValue: a scalar that takes the place of a NULL\n"
    "withNullFill.func: a function of two arguments\n"
    "nullCompare.func: a comparison, a function of two arguments\n"
    "X: a scalar, vector or matrix\n"
    "Y: as X, or a pair or set that func takes";

void registerWindowsOfFunctions(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view errors,
                   std::string_view example, const Declaration& declaration = {.orderSensitive = true}) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .errors = errors,
                      .complexity = "One call of func per window; the m… functions are faster.",
                      .example = example},
                     declaration);
    };
    add("moving(func, funcArgs, window, [minPeriods])", movingKernel,
        "func of the last `window` rows, for each row; NULL for rows with fewer.",
        "The vectors differ in length, or the window is below 1.", "moving(sum, 1 2 3 4, 2) -> [,3,5,7]",
        {.orderSensitive = true, .reach = reachOfMoving});
    add("window(func, funcArgs, range)", windowKernel,
        "func of the rows i+a to i+b for each row i, clipped at the ends.", "The range falls.",
        "window(sum, 1 2 3 4, -1:1) -> [3,6,9,7]", {.orderSensitive = true, .reach = reachOfRange});
    add("rolling(func, funcArgs, window, [step=1])", rollingKernel, "func of each complete window, every `step` rows.",
        "The window or step is below 1.", "rolling(sum, 1 2 3 4, 2, 2) -> [3,7]");
    add("tmoving(func, T, funcArgs, window, [excludedPeriod])", tmovingKernel,
        "func of the rows up to each row with times in (T - window, T].", "T falls or has no such unit.",
        "tmoving(sum, 1 1 2 5, 1 2 3 4, 2) -> [1,3,6,4]", {.orderSensitive = true, .reach = reachOfTimedMoving});
    add("twindow(func, funcArgs, T, range, [prevailing=false], [excludedPeriod])", twindowKernel,
        "func of the rows with times in [T + a, T + b], for range = a:b.", "T falls or has no such unit.",
        "twindow(sum, 1 2 3 4, 1 1 2 5, 0:1) -> [6,6,3,4]\ntwindow(sum, 1 2 3, 1 3 3, 0:1, true) -> [1,3,3]");
    add("movingValid(func, funcArgs, window, [minPeriods], [combined=true])", movingValidKernel,
        "func of the last `window` elements that are not NULL, for each row.",
        "The vectors differ in length, or the window is below 1.", "movingValid(sum, 1 NULL 2 4, 2) -> [,,3,6]");
    add("withNullFill(func, x, y, fillValue)", withNullFillKernel,
        "func of x and y, where a NULL on one side only counts as the fill value.", "",
        "withNullFill(add, 1 NULL NULL, 1 2 NULL, 0) -> [2,2,]", {});
    add("nullCompare(func, X, Y)", nullCompareKernel, "The comparison of X and Y, NULL where a side is NULL.", "",
        "nullCompare(<, 1 NULL, 2) -> [true,]", {});
}

}  // namespace pelorus
