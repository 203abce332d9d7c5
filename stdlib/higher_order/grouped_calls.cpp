// Functions called once per group of rows: groupby, contextby, pivot, aggrTopN, segmentby.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "stdlib/arguments.h"
#include "stdlib/higher_order/key_groups.h"
#include "stdlib/higher_order/states_of_function.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

int64_t rowCountOf(const Value& v) {
    return v.isMatrix() ? v.matrix().rows : v.size();
}

// funcArgs: one value, or a tuple of several; all have as many rows as the keys, but for scalars.
std::vector<Value> dataArgument(Arguments a, size_t i, int64_t rows) {
    bool several = a[i].isTuple() && a[i].size() > 0 &&
                   std::any_of(a[i].tuple().elements.begin(), a[i].tuple().elements.end(),
                               [](const Value& v) { return !v.isScalar(); });
    std::vector<Value> data = several ? a[i].tuple().elements : std::vector<Value>{a[i]};
    for (const Value& v : data) {
        if (!v.isScalar() && !v.isDictionary() && rowCountOf(v) == rows) continue;
        if (v.isScalar()) continue;
        throw UserError(static_cast<int>(i),
                        fmt::format("The vectors don't have the same length: {} and {}.", rows, rowCountOf(v)));
    }
    return data;
}

Value callOnRows(Context& context, const Function& f, const std::vector<Value>& data,
                 const std::vector<int32_t>& rows) {
    context.checkCancelled();
    std::vector<Value> step;
    for (const Value& v : data) step.push_back(rowsAt(v, rows));
    return f.call(context, step);
}

std::string nameAt(const Value& spelling, size_t i, const std::string& otherwise) {
    if (!spelling.isVector() || static_cast<int64_t>(i) >= spelling.size()) return otherwise;
    std::string name(spelling.vector().string(static_cast<int64_t>(i)));
    return name.empty() ? otherwise : name;
}

// Columns of results: one, or one per element when the results of the groups are vectors of one length or dictionaries.
void addResults(MemoryTable& table, std::vector<Value> results, const std::string& name) {
    bool vectors = !results.empty() && std::all_of(results.begin(), results.end(), [&](const Value& v) {
        return v.isVector() && v.size() == results[0].size() && v.size() > 0;
    });
    if (!results.empty() && results[0].isDictionary()) {
        Value rows = assemble(std::move(results));
        for (int c = 0; c < rows.table().columnCount(); ++c) {
            auto& from = static_cast<MemoryTable&>(rows.table());
            table.setColumn(from.columns()[static_cast<size_t>(c)].name, from.column(c));
        }
        return;
    }
    if (!vectors) {
        table.setColumn(name, listOf(std::move(results)));
        return;
    }
    for (int64_t c = 0; c < results[0].size(); ++c) {
        std::vector<Value> elements;
        for (const Value& v : results) elements.push_back(v.at(c));
        table.setColumn(fmt::format("{}_{}", name, c), listOf(std::move(elements)));
    }
}

// The compiler adds how the arguments are spelt, as a tuple of the names of funcArgs and of the keys.
Value groupbyKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> keys = keyColumns(a[2], 2);
    std::vector<Value> data = dataArgument(a, 1, keys[0].size());
    Value dataNames = isGiven(a, 3) && a[3].isTuple() ? a[3].at(0) : Value();
    Value keyNames = isGiven(a, 3) && a[3].isTuple() ? a[3].at(1) : Value();
    KeyGroups groups = groupByKeys(keys, true);
    auto table = makeRef<MemoryTable>();
    Ref<Vector> first = groups.firstRows();
    for (size_t k = 0; k < keys.size(); ++k) {
        std::string otherwise = table->findColumn("groupingKey") < 0 ? "groupingKey" : fmt::format("groupingKey{}", k);
        table->setColumn(nameAt(keyNames, k, otherwise), takeRows(keys[k], *first));
    }
    std::vector<Value> results;
    for (const auto& rows : groups.rows) results.push_back(callOnRows(context, f, data, rows));
    std::string name = f.name().empty() ? "value" : std::string(f.name());
    std::string argument = nameAt(dataNames, 0, "");
    addResults(*table, std::move(results), argument.empty() ? name : name + "_" + argument);
    return Value::of(Ref<Table>(table));
}

// Rows of each group in the order of the sorting columns.
void sortWithin(KeyGroups& groups, const std::vector<Value>& sorting) {
    std::vector<OrderKey> order;
    for (const Value& column : sorting) order.push_back({column});
    std::vector<int32_t> place(static_cast<size_t>(sorting[0].size()));
    std::vector<int32_t> sorted = sortPositions(order, sorting[0].size());
    for (size_t i = 0; i < sorted.size(); ++i) place[static_cast<size_t>(sorted[i])] = static_cast<int32_t>(i);
    for (auto& rows : groups.rows) {
        std::sort(rows.begin(), rows.end(),
                  [&](int32_t x, int32_t y) { return place[static_cast<size_t>(x)] < place[static_cast<size_t>(y)]; });
    }
}

// Calls func for each group's rows and scatters the results to the positions of the rows.
Value inPlace(Context& context, const Function& f, const std::vector<Value>& data, const KeyGroups& groups,
              int64_t rows) {
    std::vector<Value> results(static_cast<size_t>(rows));
    for (const auto& group : groups.rows) {
        Value result = callOnRows(context, f, data, group);
        bool one = result.isScalar();
        if (!one && rowCountOf(result) != static_cast<int64_t>(group.size())) {
            throw UserError(
                0, fmt::format("func gave {} results for a group of {} rows.", rowCountOf(result), group.size()),
                "It must give one value, or one per row.");
        }
        for (size_t i = 0; i < group.size(); ++i) {
            Value element = one                 ? result
                            : result.isMatrix() ? rowsAt(result, {static_cast<int32_t>(i)})
                                                : result.at(static_cast<int64_t>(i));
            results[static_cast<size_t>(group[i])] = std::move(element);
        }
    }
    return listOf(std::move(results));
}

bool isChosen(Type type, int64_t filter) {
    constexpr int64_t kAll = 0, kNumbers = 1, kTemporals = 2, kStrings = 3, kBoth = 4;
    switch (filter) {
        case kAll:
            return true;
        case kNumbers:
            return isNumeric(type) && type != Type::Bool;
        case kTemporals:
            return isTemporal(type);
        case kStrings:
            return isLiteral(type) && type != Type::Blob;
        case kBoth:
            return (isNumeric(type) && type != Type::Bool) || isTemporal(type);
        default:
            return false;
    }
}

// contextby(func, funcArgs, groupingCol, [sortingCol], [semanticFilter=1], [containArgsOfHighOrderFunc=false])
Value contextbyKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> keys = keyColumns(a[2], 2);
    int64_t rows = keys[0].size();
    KeyGroups groups = groupByKeys(keys, false);
    if (isGiven(a, 3)) {
        std::vector<Value> sorting = keyColumns(a[3], 3);
        if (sorting[0].size() != rows) throw UserError(3, "sortingCol and groupingCol differ in length.");
        sortWithin(groups, sorting);
    }
    int64_t filter = integerArgument(a, 4, "semanticFilter", 1);
    if (filter < 0 || filter > 4) refuseArgument(4, "semanticFilter", "between 0 and 4", a[4]);
    if (a[1].isTable()) {
        std::vector<Value> columns = columnsOf(a[1]);
        for (Value& column : columns) {
            if (isChosen(column.type(), filter)) column = inPlace(context, f, {column}, groups, rows);
        }
        return columnsLike(std::move(columns), a[1]);
    }
    if (a[1].isMatrix()) {
        std::vector<Value> columns = columnsOf(a[1]);
        for (Value& column : columns) column = inPlace(context, f, {column}, groups, rows);
        return columnsLike(std::move(columns), a[1]);
    }
    if (flagArgument(a, 5, "containArgsOfHighOrderFunc", false) && a[1].isTuple()) {
        // Tuples inside funcArgs are lists of columns: each column is cut by group.
        std::vector<Value> results(static_cast<size_t>(rows));
        std::vector<Value> positions = {Value::of(Vector::make(Type::Int, rows))};
        for (int64_t i = 0; i < rows; ++i) positions[0].vector().mutableData<int32_t>()[i] = static_cast<int32_t>(i);
        for (const auto& group : groups.rows) {
            std::vector<Value> step;
            for (const Value& v : a[1].tuple().elements) {
                if (!v.isTuple()) {
                    step.push_back(rowsAt(v, group));
                    continue;
                }
                std::vector<Value> inner;
                for (const Value& column : v.tuple().elements) inner.push_back(rowsAt(column, group));
                step.push_back(Value::of(makeRef<Tuple>(std::move(inner))));
            }
            Value result = f.call(context, step);
            for (size_t i = 0; i < group.size(); ++i) {
                results[static_cast<size_t>(group[i])] =
                    result.isScalar() ? result : result.at(static_cast<int64_t>(i));
            }
        }
        return listOf(std::move(results));
    }
    return inPlace(context, f, dataArgument(a, 1, rows), groups, rows);
}

// pivot(func, funcArgs, rowAlignCol, colAlignCol): a matrix of func of the rows of each pair of keys.
Value pivotKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    std::vector<Value> rowKey = keyColumns(a[2], 2), columnKey = keyColumns(a[3], 3);
    if (rowKey.size() != 1) refuseArgument(2, "rowAlignCol", "one vector", a[2]);
    if (columnKey.size() != 1) refuseArgument(3, "colAlignCol", "one vector", a[3]);
    std::vector<Value> data = dataArgument(a, 1, rowKey[0].size());
    if (columnKey[0].size() != rowKey[0].size()) throw UserError(3, "rowAlignCol and colAlignCol differ in length.");
    KeyGroups byRow = groupByKeys(rowKey, true), byColumn = groupByKeys(columnKey, true);
    std::vector<int32_t> columnOf(static_cast<size_t>(rowKey[0].size()));
    for (size_t c = 0; c < byColumn.rows.size(); ++c) {
        for (int32_t r : byColumn.rows[c]) columnOf[static_cast<size_t>(r)] = static_cast<int32_t>(c);
    }
    size_t rows = byRow.rows.size(), columns = byColumn.rows.size();
    std::vector<Value> cells(rows * columns);
    for (size_t r = 0; r < rows; ++r) {
        std::vector<std::vector<int32_t>> inside(columns);
        for (int32_t row : byRow.rows[r])
            inside[static_cast<size_t>(columnOf[static_cast<size_t>(row)])].push_back(row);
        for (size_t c = 0; c < columns; ++c) {
            if (!inside[c].empty()) cells[c * rows + r] = callOnRows(context, f, data, inside[c]);
        }
    }
    Value flat = listOf(std::move(cells));
    if (flat.isTuple()) throw UserError(0, "func must give one value for each cell.");
    auto result =
        makeRef<Matrix>(Ref<Vector>(&flat.vector()), static_cast<int64_t>(rows), static_cast<int64_t>(columns));
    result->rowLabels = takeRows(rowKey[0], *byRow.firstRows());
    result->columnLabels = takeRows(columnKey[0], *byColumn.firstRows());
    return Value::of(result);
}

// How many of `rows` are chosen: an integer, or a share below 1 of which at least one row remains.
int64_t topArgument(Arguments a, size_t i, int64_t rows) {
    if (a[i].isNumber() && isFloating(a[i].type())) {
        double share = realArgument(a, i, "top");
        if (!(share > 0 && share < 1)) refuseArgument(i, "top", "an integer, or a share below 1", a[i]);
        return std::max<int64_t>(1, static_cast<int64_t>(share * static_cast<double>(rows)));
    }
    int64_t top = integerArgument(a, i, "top");
    if (top < 1) refuseArgument(i, "top", "at least 1", a[i]);
    return std::min(top, rows);
}

// aggrTopN(func, funcArgs, sortingCol, top, [ascending=true])
Value aggrTopNKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    Ref<Vector> sorting = vectorArgument(a, 2, "sortingCol");
    std::vector<Value> data = dataArgument(a, 1, sorting->size());
    bool ascending = flagArgument(a, 4, "ascending", true);
    OrderKey key{Value::of(sorting), ascending};
    std::vector<int32_t> order = sortPositions({&key, 1}, sorting->size());
    order.resize(static_cast<size_t>(topArgument(a, 3, sorting->size())));
    return callOnRows(context, f, data, order);
}

// segmentby(func, funcArgs, segment): over runs of equal elements of segment, in place.
Value segmentbyKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    Ref<Vector> segment = vectorArgument(a, 2, "segment");
    std::vector<Value> data = dataArgument(a, 1, segment->size());
    KeyGroups runs;
    for (int64_t i = 0; i < segment->size(); ++i) {
        if (i == 0 || !identical(segment->at(i - 1), segment->at(i))) runs.rows.emplace_back();
        runs.rows.back().push_back(static_cast<int32_t>(i));
    }
    if (data.size() == 1 && data[0].isMatrix()) {
        std::vector<Value> columns = columnsOf(data[0]);
        for (Value& column : columns) column = inPlace(context, f, {column}, runs, segment->size());
        return columnsLike(std::move(columns), data[0]);
    }
    return inPlace(context, f, data, runs, segment->size());
}

}  // namespace

void registerGroupedCalls(FunctionRegistry& registry) {
    registry.add("groupby(func, funcArgs, groupingCol, [columnNames])", groupbyKernel,
                 {.summary = "func of the rows of each distinct key, as a table of keys, ascending, and results.",
                  .parameters = "funcArgs: one argument of func, or a tuple of them.\ngroupingCol: one key, or a tuple "
                                "of keys.\ncolumnNames: added by the compiler: how the arguments are spelt.",
                  .errors = "The vectors differ in length.",
                  .example = "groupby(sum, 1 2 3, `b`a`b)[`sum] -> [2,4]"},
                 {.takes = {kAnything, kAnything | Takes::Spelled, kAnything | Takes::Spelled},
                  .kind = FunctionKind::HigherOrder});
    registry.add(
        "contextby(func, funcArgs, groupingCol, [sortingCol], [semanticFilter=1], "
        "[containArgsOfHighOrderFunc=false])",
        contextbyKernel,
        {.summary = "func of the rows of each distinct key; the results stand where the rows were.",
         .parameters = "func: a function of one value or one element per row of a group\n"
                       "funcArgs: a vector, matrix or table, or a tuple of vectors, its arguments\n"
                       "groupingCol: a vector of keys, or a tuple of several\n"
                       "sortingCol: the order of the rows within a group: a vector, or a tuple of several\n"
                       "semanticFilter: which columns of a table are computed: 0 all, 1 numbers, 2 temporals, 3 "
                       "strings, 4 numbers and temporals\n"
                       "containArgsOfHighOrderFunc: true takes tuples inside funcArgs as lists of columns, each of "
                       "which is cut by group",
         .errors = "The vectors differ in length, or func gives neither one value nor one per row.",
         .example = "contextby(sum, 1 2 3, `a`b`a) -> [4,2,4]\ncontextby(prev, 1 2 3, `a`a`a, 3 2 1) -> [2,3,]"});
    registry.add("pivot(func, funcArgs, rowAlignCol, colAlignCol)", pivotKernel,
                 {.summary = "The matrix of func of the rows of each pair of keys, labelled by the keys, ascending.",
                  .parameters = "func: an aggregate function\n"
                                "funcArgs: a vector, or a tuple of vectors, its arguments\n"
                                "rowAlignCol: a vector of the keys of the rows, as long\n"
                                "colAlignCol: a vector of the keys of the columns, as long",
                  .nulls = "A pair without rows gives NULL.",
                  .errors = "func gives no scalar.",
                  .example = "flatten(pivot(sum, 1 2 3, `a`b`a, 7 7 8)) -> [1,2,3,]"});
    Declaration aggregate;
    aggregate.kind = FunctionKind::Aggregate;
    aggregate.gives = varying();
    registry.add("aggrTopN(func, funcArgs, sortingCol, top, [ascending=true])", aggrTopNKernel,
                 {.summary = "func of the first rows in the order of sortingCol.",
                  .parameters = "func: an aggregate function\n"
                                "funcArgs: a vector, or a tuple of vectors, its arguments\n"
                                "sortingCol: a vector, the order\n"
                                "top: how many rows, or which share of them when it is below 1\n"
                                "ascending: true takes the smallest of sortingCol first, false the largest",
                  .nulls = "NULL of sortingCol is the smallest.",
                  .errors = "func is no function, or the vectors differ in length.",
                  .example = "aggrTopN(sum, 1 2 3, 9 8 7, 2) -> 5"},
                 aggregate);
    registry.add("segmentby(func, funcArgs, segment)", segmentbyKernel,
                 {.summary = "func of each run of equal elements of segment, one result per row.",
                  .parameters = "func: a function of one value or one element per row\n"
                                "funcArgs: a vector, or a tuple of vectors, its arguments\n"
                                "segment: a vector as long; a new segment begins where its value changes",
                  .errors = "The vectors differ in length.",
                  .example = "segmentby(cumsum, 1 2 3 4, 1 1 2 2) -> [1,3,3,7]"},
                 {.orderSensitive = true, .rolling = segmentStates});
}

}  // namespace pelorus
