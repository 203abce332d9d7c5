// append! for everything that grows, and tableInsert.
#include "stdlib/table/append.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/language_settings.h"
#include "runtime/append/append_rows.h"
#include "runtime/table/column_advice.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

// The values of a dictionary in the order of the table's columns; NULL where it says nothing of one.
static std::vector<Value> columnsFromDictionary(const Dictionary& rows, const Table& target) {
    std::vector<Value> columns(static_cast<size_t>(target.columnCount()));
    for (int64_t i = 0; i < rows.size(); ++i) {
        const Value key = rows.keyAt(i);
        const int c = key.isString() ? target.findColumn(key.string()) : -1;
        if (c < 0) {
            throw UserError(1, fmt::format("The table has no column {}.", itemString(key)),
                            "The keys of the dictionary are names of columns.");
        }
        columns[static_cast<size_t>(c)] = rows.valueAt(i);
    }
    int64_t count = -1;  // number of rows, if a value is a vector
    for (const Value& column : columns) {
        if (!column.isScalar()) count = column.size();
    }
    for (int c = 0; c < target.columnCount() && count >= 0; ++c) {
        const ColumnSchema& schema = target.columns()[static_cast<size_t>(c)];
        Value& column = columns[static_cast<size_t>(c)];
        if (column.isScalar()) column = filledColumn(schema.type, schema.scale, count, column);
    }
    return columns;
}

Ref<MemoryTable> rowsToAppend(Arguments arguments, const Table& target) {
    if (arguments.size() == 1 && arguments[0].isTable()) {
        if (const Ref<MemoryTable> memory = tableToRead(arguments[0])) return Ref<MemoryTable>(memory);
        throw UserError(1, "The rows must be in memory.", "Select them first: select * from ...");
    }
    std::vector<Value> columns(arguments.begin(), arguments.end());
    if (arguments.size() == 1 && arguments[0].isTuple()) columns = arguments[0].tuple().elements;
    if (arguments.size() == 1 && arguments[0].isDictionary()) {
        columns = columnsFromDictionary(arguments[0].dictionary(), target);
    }
    if (const int written = writtenColumns(target); static_cast<int>(columns.size()) != written) {
        throw UserError(1,
                        fmt::format("The number of columns of the table to insert must be {}, but it is {}.", written,
                                    columns.size()),
                        typedColumnsNote(target.columns()));
    }
    std::vector<std::string> names;
    const bool oneRow = std::any_of(columns.begin(), columns.end(), [](const Value& v) { return v.isScalar(); });
    for (size_t c = 0; c < columns.size(); ++c) {
        const ColumnSchema& column = target.columns()[c];
        // Next to scalars, a vector for a column of array vectors is the row's cell.
        if (oneRow && isArrayType(column.type) && columns[c].isTypedVector()) {
            columns[c] = Value::of(makeRef<Tuple>(std::vector<Value>{columns[c]}));
        }
        names.push_back(column.name);
        if (columns[c].isScalar()) {
            if (isArrayType(column.type)) {
                columns[c] = castForStorage(columns[c], column.type, column.name, column.scale);
            } else {
                const Value element = columns[c].isVoid()
                                          ? Value::nullOf(column.type)
                                          : castFitting(columns[c], column.type, column.scale, column.name);
                columns[c] = filledColumn(column.type, column.scale, 1, element);
            }
        }
        if (columns[c].size() != columns[0].size()) {
            throw UserError(1, "All elements of the input tuple must have the same length. RefId: S05007");
        }
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

namespace {

Value tableInsertKernel(Context& context, Arguments arguments) {
    if (arguments[0].isString() && arguments.size() == 3 && arguments[0].string().find('/') != std::string_view::npos) {
        // The writers of client libraries call tableInsert{"dfs://db", "t"}.
        Value table = FunctionRegistry::instance().get("loadTable").call(context, arguments.first(2));
        std::vector<Value> call{std::move(table), arguments[2]};
        return tableInsertKernel(context, call);
    }
    if (arguments[0].isString() && arguments.size() >= 2) {
        // tableInsert{"t"}: the name of a variable, or of a shared table.
        const FunctionRegistry& registry = FunctionRegistry::instance();
        Ref<Function> self(const_cast<BuiltinFunction*>(&registry.get("tableInsert")));
        std::vector<Value> call{arguments[0], Value::of(self),
                                Value::of(makeRef<Tuple>(std::vector<Value>(arguments.begin() + 1, arguments.end())))};
        return registry.getForNode("callOnVariable").call(context, call);
    }
    if (!arguments[0].isTable()) throw UserError(0, "The first argument must be a table.");
    if (arguments.size() < 2) throw UserError(1, "The rows to insert are missing.");
    const Ref<MemoryTable> rows = rowsToAppend(arguments.subspan(1), arguments[0].table());
    const int64_t written = appendToTable(context, arguments[0], *rows).written;
    return written > INT32_MAX ? Value::ofLong(written) : Value::ofInt(static_cast<int32_t>(written));
}

void appendToVector(Value& object, const Value& added) {
    Value converted = castForStorage(added, object.type(), "", object.extra());
    object.makeUnique();
    if (object.isArrayVector()) {
        object.arrayVector().append(converted.arrayVector());
        return;
    }
    if (converted.isScalar()) {
        object.vector().append(converted);
    } else {
        object.vector().append(converted.vector(), 0, converted.size());
    }
}

// A vector is one element of a tuple; a tuple is too, as appendTupleAsAWhole says by default.
void appendToTuple(Value& object, const Value& added) {
    object.makeUnique();
    std::vector<Value>& elements = object.tuple().elements;
    if (added.isTuple() && !languageSettings().appendTupleAsAWhole) {
        elements.insert(elements.end(), added.tuple().elements.begin(), added.tuple().elements.end());
    } else {
        elements.push_back(added);
    }
}

void appendToMatrix(Value& object, const Value& added) {
    const Value flat = added.isMatrix() ? Value::of(added.matrix().cells) : added;
    const int64_t rows = object.matrix().rows;
    if (rows == 0 || flat.size() % rows != 0) {
        throw UserError(1, fmt::format("{} elements are no whole columns of a matrix of {} rows.", flat.size(), rows));
    }
    Value converted = castForStorage(flat, object.type(), "", object.extra());
    object.makeUnique();
    Matrix& matrix = object.matrix();
    Value cells = Value::of(matrix.cells);
    matrix.cells = Ref<Vector>();
    cells.makeUnique();
    cells.vector().append(converted.vector(), 0, converted.size());
    matrix.cells = Ref<Vector>(&cells.vector());
    matrix.columns += flat.size() / rows;
    matrix.columnLabels = Value();
}

void appendToSet(Value& object, const Value& added) {
    object.makeUnique();
    for (int64_t i = 0; i < added.size(); ++i) object.set().index.insert(added.at(i));
}

void appendToDictionary(Value& object, const Value& added) {
    if (!added.isDictionary()) throw UserError(1, "Only a dictionary can be appended to a dictionary.");
    object.makeUnique();
    for (int64_t i = 0; i < added.size(); ++i)
        object.dictionary().set(added.dictionary().keyAt(i), added.dictionary().valueAt(i));
}

Value appendKernel(Context& context, Arguments arguments) {
    Value& object = arguments[0];
    const Value added = arguments[1];
    if (object.isTable()) {
        const Ref<MemoryTable> rows = rowsToAppend(arguments.subspan(1), object.table());
        appendToTable(context, object, *rows);
    } else if (object.isTuple()) {
        appendToTuple(object, added);
    } else if (object.isVector()) {
        appendToVector(object, added);
    } else if (object.isMatrix()) {
        appendToMatrix(object, added);
    } else if (object.isSet()) {
        appendToSet(object, added);
    } else if (object.isDictionary()) {
        appendToDictionary(object, added);
    } else {
        throw UserError(0, fmt::format("Nothing can be appended to {}.", typeString(object)),
                        "Make it a vector first, as in [x].");
    }
    return object;
}

}  // namespace

void registerAppend(FunctionRegistry& registry) {
    registry.add("tableInsert(table, args...)", tableInsertKernel,
                 {.summary = "Appends rows to a table and returns how many were stored.",
                  .parameters = "args: a table, a tuple of columns, a dictionary of columns, or one vector or scalar "
                                "per column; the table may be given as "
                                "the path of its database and its name",
                  .errors = "Columns differ in number or type; nothing is stored then.",
                  .example = "t = table(1 2 as a); tableInsert(t, 3) -> 1"},
                 {.mutatesFirst = true, .givesOther = true});
    registry.add("append!(obj, newData)", appendKernel,
                 {.summary = "Appends to obj in place and returns it: elements to a vector, an element to a tuple, "
                             "columns to a matrix, "
                             "rows by column position to a table, keys to a set or dictionary.",
                  .nulls = "Appended like other values.",
                  .errors = "The types do not fit; obj is as it was then.",
                  .complexity = "amortised O(newData)",
                  .example = "x = 1 2; x.append!(3) -> [1,2,3]"},
                 {.takesSharedTables = true});
    registry.alias("push!", "append!");
}

}  // namespace pelorus
