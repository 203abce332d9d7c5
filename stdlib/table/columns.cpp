// Columns of tables in memory: naming, adding, dropping, reordering.
#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>

#include "runtime/append/append_rows.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/row_index.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/audited_data.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/table.h"
#include "runtime/table/table_keys.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/table/changed_table.h"
#include "stdlib/table/make_table.h"
#include "stdlib/table/rising_labels.h"

namespace pelorus {

namespace {

int columnOf(const MemoryTable& table, const std::string& name, int argument) {
    int i = table.findColumn(name);
    if (i < 0) throw unknownColumn(name, table.columns(), argument);
    return i;
}

Value columnNamesKernel(Context&, Arguments a) {
    if (a[0].isMatrix()) return a[0].matrix().columnLabels;
    if (!a[0].isTable()) refuseArgument(0, "X", "a table or matrix", a[0]);
    std::vector<std::string> names;
    for (const ColumnSchema& column : a[0].table().columns()) names.push_back(column.name);
    return Value::of(Vector::ofStrings(names));
}

Value rowNamesKernel(Context&, Arguments a) {
    if (!a[0].isMatrix()) refuseArgument(0, "X", "a matrix", a[0]);
    return a[0].matrix().rowLabels;
}

// rename!(t, names), rename!(t, from, to); rename!(m, columnLabels), rename!(m, rowLabels, columnLabels); rename!(v,
// name).
Value renameKernel(Context& context, Arguments a) {
    if (a[0].isTypedVector()) {
        if (isGiven(a, 2)) throw UserError(2, "A vector has one name.");
        const std::string name = stringArgument(a, 1, "Y");
        a[0].makeUnique();
        a[0].vector().setName(name);
        return a[0];
    }
    if (a[0].isMatrix()) {
        // One argument labels the columns; two, of which a comma may leave one out, the rows and the columns.
        const bool two = isGiven(a, 2) || a[2].extra() == omitted().extra();
        const Value rows = two ? a[1] : Value(), columns = two ? a[2] : a[1];
        const bool hasRows = two && isGiven(a, 1), hasColumns = !columns.isVoid();
        const Matrix& labelled = a[0].matrix();
        if (labelled.isIndexed()) {
            if (hasRows) requireRising(rows, "row", 1);
            if (hasColumns && labelled.index == Matrix::Index::Matrix) requireRising(columns, "column", two ? 2 : 1);
        }
        if ((hasColumns && columns.size() != labelled.columns) || (hasRows && rows.size() != labelled.rows)) {
            throw UserError(two ? 2 : 1, "There must be one label for each row and column of the matrix.");
        }
        a[0].makeUnique();
        if (hasRows) a[0].matrix().rowLabels = rows;
        if (hasColumns) a[0].matrix().columnLabels = columns;
        return a[0];
    }
    if (StoredTable* stored = storedTableToAlter(context, a[0], Right::CreateObject)) {
        if (!isGiven(a, 2))
            throw UserError(2, "A column of a table of a database is renamed by its old and its new name.");
        const std::string name = stringArgument(a, 1, "oldColName"), newName = stringArgument(a, 2, "newColName");
        AuditedData change(context, "RENAME_COLUMN", a[0].table(),
                           fmt::format("colName=[{}], newColName=[{}]", name, newName));
        stored->renameColumn(name, newName);
        change.done();
        return a[0];
    }
    ChangedTable table(a[0]);
    std::vector<std::string> names;
    for (const ColumnSchema& column : table->columns()) names.push_back(column.name);
    if (isGiven(a, 2)) {
        std::vector<std::string> from = namesArgument(a, 1, "oldColNames"), to = namesArgument(a, 2, "newColNames");
        if (from.size() != to.size()) throw UserError(2, "There must be as many new names as old ones.");
        for (size_t i = 0; i < to.size(); ++i) names[static_cast<size_t>(columnOf(*table, from[i], 1))] = to[i];
    } else {
        std::vector<std::string> first = namesArgument(a, 1, "colNames");
        if (first.size() > names.size()) throw UserError(1, "There are more names than columns.");
        std::copy(first.begin(), first.end(), names.begin());
    }
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : names) {
        if (!seen.insert(name).second) refuseRepeatedColumn(name);
    }
    for (size_t i = 0; i < names.size(); ++i) {
        if (table->columns()[i].name != names[i]) table->renameColumn(static_cast<int>(i), names[i]);
    }
    return table.value();
}

// addColumn(t, names, types): columns of NULLs.
Value addColumnKernel(Context& context, Arguments a) {
    std::vector<std::string> names = namesArgument(a, 1, "colNames");
    std::vector<TypeSpec> types;
    for (size_t i = 0; i < names.size(); ++i) {
        Value one = a[2].isScalar()                        ? a[2]
                    : i < static_cast<size_t>(a[2].size()) ? a[2].at(static_cast<int64_t>(i))
                                                           : Value();
        types.push_back(typeOfValue(one, 2, "colTypes"));
    }
    if (StoredTable* stored = storedTableToAlter(context, a[0], Right::CreateObject)) {
        TableSchema columns;
        std::string typeNames;
        for (size_t i = 0; i < names.size(); ++i) {
            columns.push_back({names[i], types[i].type, types[i].scale, ""});
            typeNames += (i > 0 ? "," : "") + typeString(types[i].type, types[i].scale);
        }
        AuditedData change(context, "ADD_COLUMN", a[0].table(),
                           fmt::format("colName=[{}], colType=[{}]", fmt::join(names, ","), typeNames));
        stored->addColumns(columns);
        change.done();
        return a[0];
    }
    for (const TypeSpec& type : types) {
        if (type.type == Type::Void) throw UserError(2, "Invalid data type: 0");
    }
    ChangedTable table(a[0], true);
    requireOwnColumns(*table, "addColumn");
    for (const std::string& name : names) {
        if (table->findColumn(name) >= 0)
            throw UserError(1, fmt::format("The column [{}] already exists. RefId: S05017", name));
    }
    for (size_t i = 0; i < names.size(); ++i) {
        table->setColumn(names[i], filledColumn(types[i].type, types[i].scale, table->rowCount()));
    }
    return table.value();
}

Value dropColumnsKernel(Context& context, Arguments a) {
    std::vector<std::string> names = namesArgument(a, 1, "colNames");
    if (StoredTable* stored = storedTableToAlter(context, a[0], Right::DeleteObject)) {
        for (const std::string& name : names) {
            AuditedData change(context, "DROP_COLUMN", a[0].table(), fmt::format("columnName=[{}]", name));
            stored->dropColumn(name);
            change.done();
        }
        return a[0];
    }
    ChangedTable table(a[0], true);  // a stream table too: none of its rows change
    requireOwnColumns(*table, "dropColumns!");
    if (table->stream && (table->stream->keeper() || table->stream->hasListeners()))
        throw UserError("A stream table that is kept on disk, or has subscriptions, keeps its columns.");
    for (const std::string& name : names) {
        columnOf(*table, name, 1);
        if (table->keys() && table->keys()->contains(name)) {
            throw UserError(1, "Can't drop a key column. RefId: S05015", fmt::format("{} is of the key.", name));
        }
    }
    std::set<int> dropped;
    for (const std::string& name : names) dropped.insert(columnOf(*table, name, 1));
    if (static_cast<int>(dropped.size()) == table->columnCount()) {
        throw UserError(1, "A table keeps at least one column.", "Use undef to forget the table.");
    }
    for (const std::string& name : names) table->dropColumn(columnOf(*table, name, 1));
    return table.value();
}

Value reorderColumnsKernel(Context& context, Arguments a) {
    std::vector<std::string> names = namesArgument(a, 1, "reorderedColNames");
    if (StoredTable* stored = storedTableToAlter(context, a[0], Right::CreateObject)) {
        AuditedData change(context, "REORDER_COLUMNS", a[0].table(),
                           fmt::format("colName=[{}]", fmt::join(names, ",")));
        stored->reorderColumns(names);
        change.done();
        return a[0];
    }
    ChangedTable table(a[0]);
    requireOwnColumns(*table, "reorderColumns!");
    std::vector<int> order;
    for (const std::string& name : names) order.push_back(columnOf(*table, name, 1));
    for (int i = 0; i < table->columnCount(); ++i) {
        if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
    }
    std::vector<std::pair<std::string, Value>> columns;
    for (int i : order) columns.emplace_back(table->columns()[static_cast<size_t>(i)].name, table->column(i));
    for (int i = table->columnCount() - 1; i >= 0; --i) table->dropColumn(i);
    for (auto& [name, column] : columns) table->setColumn(name, std::move(column));
    return table.value();
}

Value replaceColumnKernel(Context& context, Arguments a) {
    const std::vector<std::string> names = namesArgument(a, 1, "colName");
    if (StoredTable* stored = storedTableToAlter(context, a[0], Right::CreateObject)) {
        if (names.size() != 1) throw UserError(1, "Columns of a table of a database are replaced one by one.");
        if (!a[2].isVector()) refuseArgument(2, "newCol", "a vector of the new type", a[2]);
        const int column = a[0].table().findColumn(names[0]);
        const TableSchema& schema = a[0].table().columns();
        const auto at = static_cast<size_t>(column);
        const std::string type = column < 0 ? "" : typeString(schema[at].type, schema[at].scale);
        AuditedData change(
            context, "REPLACE_COLUMN", a[0].table(),
            fmt::format("colName=[{}], colType=[{}], newColType=[{}]", names[0], type, typeString(a[2].type(), 0)));
        stored->retypeColumn(names[0], a[2].type());
        change.done();
        return a[0];
    }
    ChangedTable table(a[0]);
    std::vector<Value> columns{a[2]};
    if (!a[1].isScalar()) {
        if (!a[2].isTuple()) refuseArgument(2, "newCol", "a tuple of a vector for each column", a[2]);
        columns = a[2].tuple().elements;
    }
    if (columns.size() != names.size()) throw UserError(2, "There must be one new column for each name.");
    for (size_t i = 0; i < names.size(); ++i) {
        columnOf(*table, names[i], 1);
        if (!columns[i].isVector()) refuseArgument(2, "newCol", "a vector", columns[i]);
        if (columns[i].size() != table->rowCount()) {
            throw UserError(2, fmt::format("The new column {} has {} rows, but the table has {}.", names[i],
                                           columns[i].size(), table->rowCount()));
        }
    }
    for (size_t i = 0; i < names.size(); ++i) {
        table->setColumn(table->columns()[static_cast<size_t>(columnOf(*table, names[i], 1))].name, columns[i]);
    }
    return table.value();
}

// Adds the columns that only `other` has to the table, filled with NULLs.
void addMissingColumns(MemoryTable& table, const MemoryTable& other) {
    for (const ColumnSchema& column : other.columns()) {
        if (table.findColumn(column.name) >= 0) continue;
        table.setColumn(column.name, filledColumn(column.type, column.scale, table.rowCount()));
    }
}

// The rows of a table under the columns of another one: found by name, NULL where it has none.
Ref<MemoryTable> underColumns(const MemoryTable& rows, const MemoryTable& like) {
    auto result = makeRef<MemoryTable>();
    for (const ColumnSchema& column : like.columns()) {
        const Value* known = rows.column(column.name);
        result->setColumn(column.name, known ? *known : filledColumn(column.type, column.scale, rows.rowCount()));
    }
    return result;
}

// unionAll(tableX, tableY, [byColName]), unionAll(tables, [partition], [byColName]), unionAll(tables, target)
Value unionAllKernel(Context& context, Arguments a) {
    std::vector<Value> tables;
    if (a[0].isTuple() && isGiven(a, 1) && a[1].isTable()) {
        // The target itself grows, under all its names.
        auto* target = asMemoryTable(a[1]);
        for (const Value& rows : a[0].tuple().elements) {
            const Ref<MemoryTable> table = tableToRead(rows);
            if (!table) refuseArgument(0, "tables", "tables in memory", rows);
            if (target) {
                appendToMemory(*target, *table);
            } else {
                std::vector<Value> call = {a[1], rows};
                FunctionRegistry::instance().get("append!").call(context, call);
            }
        }
        return a[1];
    }
    if (a[0].isTuple()) {
        tables = a[0].tuple().elements;
    } else {
        tables = {a[0]};
        if (isGiven(a, 1) && a[1].isTable()) tables.push_back(a[1]);
    }
    const bool byName = flagArgument(a, 2, "byColName", false);
    Ref<MemoryTable> result;
    for (const Value& v : tables) {
        const Ref<MemoryTable> table = tableToRead(v);
        if (!table) refuseArgument(0, "tableX", "tables in memory", v);
        if (!result) {
            result = table->copy();
        } else {
            if (byName) addMissingColumns(*result, *table);
            result->append(byName ? *underColumns(*table, *result) : *table);
        }
    }
    return result ? Value::of(Ref<Table>(result)) : Value();
}

// Rows as columns of an array vector or columnar tuple whose rows are equally long.
Value transposedRows(const Value& x) {
    const int64_t width = x.size() ? x.at(0).size() : 0;
    std::vector<Value> rows;
    for (int64_t c = 0; c < width; ++c) {
        const Value index = Value::ofLong(c);
        rows.push_back(readRowwise(x, {&index, 1}));
    }
    for (int64_t r = 0; r < x.size(); ++r) {
        if (x.at(r).size() != width) throw UserError(0, "The rows of X must be equally long.");
    }
    return rowsFrom(std::move(rows), x.isTuple());
}

// A dictionary of dictionaries: its keys as column `key`, then a column for each key of the first one.
Value rowsOfDictionaries(const Dictionary& d) {
    auto table = makeRef<MemoryTable>();
    table->setColumn("key", d.keys());
    const Dictionary& first = d.valueAt(0).dictionary();
    for (int64_t c = 0; c < first.size(); ++c) {
        std::vector<Value> elements;
        for (int64_t i = 0; i < d.size(); ++i) {
            const Value row = d.valueAt(i);
            if (!row.isDictionary()) throw UserError(0, "The values of X must all be dictionaries, or none of them.");
            const bool known = row.dictionary().contains(first.keyAt(c));
            elements.push_back(known ? row.dictionary().get(first.keyAt(c)) : Value::nullOf(first.valueAt(c).type()));
        }
        table->setColumn(toString(first.keyAt(c)), listOf(std::move(elements)));
    }
    return Value::of(Ref<Table>(table));
}

// transpose: of every form that has rows and columns.
Value transposeKernel(Context&, Arguments a) {
    const Value& x = a[0];
    if (x.isMatrix()) {
        const Matrix& m = x.matrix();
        Ref<Vector> cells = Vector::make(m.cells->type(), m.cells->size());
        std::vector<int64_t> positions(static_cast<size_t>(m.cells->size()));
        for (int64_t r = 0; r < m.rows; ++r) {
            for (int64_t c = 0; c < m.columns; ++c) positions[static_cast<size_t>(r * m.columns + c)] = c * m.rows + r;
        }
        auto result = makeRef<Matrix>(m.cells->gather(positions.data(), m.cells->size()), m.columns, m.rows);
        result->rowLabels = m.columnLabels;
        result->columnLabels = m.rowLabels;
        return Value::of(result);
    }
    if (x.isTable()) {
        const Ref<MemoryTable> table = tableToRead(x);
        if (!table) refuseArgument(0, "X", "a table in memory", x);
        auto result = makeRef<Dictionary>(Type::String, Type::Any, true);
        for (int i = 0; i < table->columnCount(); ++i) {
            result->set(Value::ofString(table->columns()[static_cast<size_t>(i)].name), table->column(i));
        }
        return Value::of(result);
    }
    if (x.isDictionary() && x.size() > 0 && x.at(0).isDictionary()) return rowsOfDictionaries(x.dictionary());
    if (x.isDictionary()) {
        const Dictionary& d = x.dictionary();
        int64_t rows = 1;
        for (int64_t i = 0; i < d.size(); ++i) {
            if (d.valueAt(i).isVector()) rows = d.valueAt(i).size();
        }
        auto table = makeRef<MemoryTable>();
        for (int64_t i = 0; i < d.size(); ++i) {
            Value column = d.valueAt(i);
            if (column.isScalar()) column = Value::of(Vector::filled(column.type(), rows, column));
            table->setColumn(toString(d.keyAt(i)), column);
        }
        return Value::of(Ref<Table>(table));
    }
    if (isRowwise(x)) return transposedRows(x);
    if (x.isTuple()) {
        int64_t rows = x.size() == 0 ? 0 : x.at(0).size();
        std::vector<Value> result;
        for (int64_t r = 0; r < rows; ++r) {
            std::vector<Value> elements;
            for (const Value& element : x.tuple().elements) {
                if (element.size() != rows) throw UserError(0, "The elements of the tuple differ in length.");
                elements.push_back(element.at(r));
            }
            result.push_back(listOf(std::move(elements)));
        }
        return Value::of(makeRef<Tuple>(std::move(result)));
    }
    // A vector becomes a matrix of one row.
    Ref<Vector> v = vectorArgument(a, 0, "X");
    return Value::of(makeRef<Matrix>(v, 1, v->size()));
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "rename!.X: a table in memory or of a database, a matrix, or a vector, which has one name\n"
    "rename!.Y: the new names; with Z the old ones; of a matrix the labels of columns, or of rows with Z\n"
    "rename!.Z: the new names, as many as Y; of a matrix the labels of columns\n"
    "replaceColumn!.table: a table in memory, or one of a database\n"
    "colName: the name of a column, or several for a table in memory\n"
    "newCol: a vector; for several names a tuple of vectors\n"
    "tableX: a table in memory, or a tuple of several\n"
    "tableY: another table; after a tuple the one that the rows are appended to\n"
    "byColName: true puts columns of equal names together, false those of equal positions";

void registerColumns(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view errors,
                   std::string_view example, const Declaration& declaration = {}) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .errors = errors,
                      .example = example},
                     declaration);
    };
    add("columnNames(X)", columnNamesKernel,
        "The names of the columns of a table, or the labels of a matrix's columns.", "",
        "columnNames(table(1 as a, 2 as b)) -> [\"a\",\"b\"]");
    registry.alias("colNames", "columnNames");
    add("rowNames(X)", rowNamesKernel, "The labels of a matrix's rows.", "",
        "rowNames(matrix(1 2, 3 4).rename!(`a`b, `c`d)) -> [\"a\",\"b\"]");
    add("rename!(X, Y, [Z])", renameKernel,
        "Names the columns of a table: all from the first on, or the columns Y as Z; or labels a matrix.",
        "A column does not exist.", "t = table(1 as a, 2 as b); rename!(t, `a, `c); columnNames(t) -> [\"c\",\"b\"]");
    registry.add("addColumn(table, colNames, colTypes)", addColumnKernel,
                 {.summary = "Adds columns of NULLs to the table.",
                  .parameters = "table: a table in memory, or one of a database\n"
                                "colNames: the name of the new column, or several\n"
                                "colTypes: its type as INT, or one for each name",
                  .errors = "A column exists already.",
                  .example = "t = table(1 as a); addColumn(t, `b, INT); columnNames(t) -> [\"a\",\"b\"]"},
                 {.mutatesFirst = true, .givesOther = true});
    add("dropColumns!(table, colNames)", dropColumnsKernel, "Removes columns of the table.", "A column does not exist.",
        "t = table(1 as a, 2 as b); dropColumns!(t, `a); columnNames(t) -> [\"b\"]", {.role = Role::DropColumns});
    registry.alias("drop!", "dropColumns!");
    add("reorderColumns!(table, reorderedColNames)", reorderColumnsKernel,
        "Puts the named columns first, in that order; also those of a table of a database.", "A column does not exist.",
        "t = table(1 as a, 2 as b); reorderColumns!(t, `b); columnNames(t) -> [\"b\",\"a\"]");
    add("replaceColumn!(table, colName, newCol)", replaceColumnKernel,
        "Replaces a column, or several, with their types; of a table of a database only the type, which is that of "
        "newCol.",
        "The column does not exist, or differs in length.",
        "t = table(1 2 as a); replaceColumn!(t, `a, `x`y); t.a -> [\"x\",\"y\"]");
    add("unionAll(tableX, [tableY], [byColName=false])", unionAllKernel,
        "The rows of both tables, or of a tuple of tables, by column position or by name; a column that a table lacks "
        "is "
        "NULL by name.",
        "The columns do not fit.", "unionAll(table(1 as a), table(2 as a)).a -> [1,2]", {.takesSharedTables = true});
    add("transpose(X)", transposeKernel,
        "Rows as columns: of a matrix or tuple; a table as dictionary of columns, a dictionary as table.", "",
        "transpose((1 2, 3 4)) -> ([1,3],[2,4])");
    registry.alias("flip", "transpose");
}

}  // namespace pelorus
