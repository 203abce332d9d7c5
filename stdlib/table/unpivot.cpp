// Unpivoting of columns: their values become rows.
#include <fmt/format.h>

#include "common/error.h"
#include "runtime/function/function.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/table.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

const Value& columnNamed(const MemoryTable& table, const std::string& name, int argument) {
    const Value* column = table.column(name);
    if (column == nullptr) {
        throw unknownColumn(name, table.columns(), argument);
    }
    return *column;
}

// Returns the elements of a column `copies` times, concatenated.
Value repeated(const Value& column, size_t copies) {
    Value all = filledColumn(column.type(), column.vector().scale(), 0);
    for (size_t i = 0; i < copies; ++i) all.vector().append(column.vector(), 0, column.size());
    return all;
}

// unpivot(obj, keyColNames, valueColNames, [func])
Value unpivotKernel(Context& context, Arguments arguments) {
    const Ref<MemoryTable> table = tableToRead(arguments[0]);
    if (table == nullptr) refuseArgument(0, "obj", "a table in memory", arguments[0]);
    if (isGiven(arguments, 3) && !arguments[3].isFunction()) refuseArgument(3, "func", "a function", arguments[3]);
    const std::vector<std::string> keys =
        isGiven(arguments, 1) ? namesArgument(arguments, 1, "keyColNames") : std::vector<std::string>();
    const std::vector<std::string> names = namesArgument(arguments, 2, "valueColNames");
    if (names.empty()) throw UserError(2, "valueColNames must name at least one column.");
    const int64_t rows = table->rowCount();
    std::vector<std::string> resultNames = keys;
    std::vector<Value> columns;
    for (const std::string& key : keys) columns.push_back(repeated(columnNamed(*table, key, 1), names.size()));

    Ref<Vector> kinds, values;
    for (const std::string& name : names) {
        const Value& column = columnNamed(*table, name, 2);
        Value kind = Value::ofString(name);
        if (isGiven(arguments, 3)) {
            Value one[] = {kind};
            kind = arguments[3].function().call(context, one);
            if (!kind.isScalar()) throw UserError(3, "func must give one value for each name of a column.");
        }
        if (!kinds) kinds = Vector::make(kind.type(), 0, rows * static_cast<int64_t>(names.size()));
        const Value filled = filledColumn(kinds->type(), 0, rows, kind);
        kinds->append(filled.vector(), 0, rows);
        if (!values) {
            values = Vector::make(column.type(), 0, rows * static_cast<int64_t>(names.size()));
            values->setScale(column.vector().scale());
        }
        if (column.type() != values->type()) {
            throw UserError(
                2, fmt::format("The columns of valueColNames must have one type, but {} is {} and {} is {}.", names[0],
                               typeName(values->type()), name, typeName(column.type())));
        }
        values->append(column.vector(), 0, rows);
    }
    resultNames.insert(resultNames.end(), {"valueType", "value"});
    columns.push_back(Value::of(std::move(kinds)));
    columns.push_back(Value::of(std::move(values)));
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(resultNames), std::move(columns))));
}

}  // namespace

void registerUnpivot(FunctionRegistry& registry) {
    registry.add(
        "unpivot(obj, keyColNames, valueColNames, [func])", unpivotKernel,
        {.summary = "A table with several columns of obj below each other: the key columns, valueType with the "
                    "name of the column, and value.",
         .parameters = "obj: a table in memory\n"
                       "keyColNames: columns that stay; none when left out\n"
                       "valueColNames: the columns of one type that come below each other\n"
                       "func: what valueType holds is func of the name",
         .errors = "A column does not exist, or the columns differ in type.",
         .example = "unpivot(table(1 2 as k, 3 4 as a, 5 6 as b), `k, `a`b).value -> [3,4,5,6]"});
}

}  // namespace pelorus
