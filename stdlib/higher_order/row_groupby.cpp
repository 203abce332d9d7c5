// rowGroupby: groups within each row of a matrix or array vector.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/index/row_index.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/higher_order/key_groups.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

// Returns the rows that func sees: one value, or a tuple of several.
std::vector<Value> rowArguments(const Value& funcArgs) {
    bool several = funcArgs.isTuple() && !isRowwise(funcArgs);
    return several ? funcArgs.tuple().elements : std::vector<Value>{funcArgs};
}

// rowGroupby(func, funcArgs, groupingCol, [mode='tuple'], [ascending=true])
Value rowGroupbyKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a);
    if (!a[2].isMatrix() && !isRowwise(a[2])) refuseArgument(2, "groupingCol", "a matrix or an array vector", a[2]);
    std::string mode = stringArgument(a, 3, "mode", "tuple");
    if (mode != "tuple" && mode != "dict" && mode != "table") refuseArgument(3, "mode", "tuple, dict or table", a[3]);
    bool ascending = flagArgument(a, 4, "ascending", true);
    std::vector<Value> data = rowArguments(a[1]), keys, values;
    int64_t rows = rowCountOf(a[2]);
    for (const Value& v : data) {
        if (rowCountOf(v) != rows) throw UserError(1, "funcArgs and groupingCol differ in their number of rows.");
    }
    for (int64_t r = 0; r < rows; ++r) {
        context.checkCancelled();
        Value key = rowOf(a[2], r);
        std::vector<Value> row;
        for (const Value& v : data) {
            row.push_back(rowOf(v, r));
            if (row.back().size() != key.size())
                throw UserError(1, fmt::format("Row {} of funcArgs and groupingCol differ in length.", r));
        }
        KeyGroups groups = groupByKeys({key}, true);
        if (!ascending) std::reverse(groups.rows.begin(), groups.rows.end());
        std::vector<Value> results;
        for (const auto& group : groups.rows) {
            std::vector<Value> step;
            for (const Value& v : row) step.push_back(rowsAt(v, group));
            results.push_back(f.call(context, step));
        }
        keys.push_back(takeRows(key, *groups.firstRows()));
        values.push_back(listOf(std::move(results)));
    }
    Value keyRows = rowsFrom(std::move(keys), false), valueRows = rowsFrom(std::move(values), false);
    if (mode == "tuple") return Value::of(makeRef<Tuple>(std::vector<Value>{keyRows, valueRows}));
    if (mode == "dict") {
        auto result = makeRef<Dictionary>(Type::String, Type::Any, true);
        result->set(Value::ofString("key"), keyRows);
        result->set(Value::ofString("value"), valueRows);
        return Value::of(result);
    }
    auto table = makeRef<MemoryTable>();
    table->setColumn("key", keyRows);
    table->setColumn("value", valueRows);
    return Value::of(Ref<Table>(table));
}

}  // namespace

void registerRowGroupby(FunctionRegistry& registry) {
    registry.add(
        "rowGroupby(func, funcArgs, groupingCol, [mode='tuple'], [ascending=true])", rowGroupbyKernel,
        {.summary = "func of each group of equal elements within a row: keys and results as array vectors, in a "
                    "tuple, a dictionary or a table.",
         .parameters = "funcArgs: one matrix or array vector, or a tuple of them, of the shape of groupingCol.",
         .errors = "The rows differ in length.",
         .example = "rowGroupby(sum, matrix(1 2, 3 4, 5 6), matrix(7 8, 9 8, 7 9)) -> "
                    "([[7,9],[8,9]],[[6,3],[6,6]])"});
}

}  // namespace pelorus
