// Tables with unique keys: construction, upserts, and lookups by key.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/mutex.h"
#include "runtime/append/append_rows.h"
#include "runtime/function/principal.h"
#include "runtime/function/progress.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/table/audited_data.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/table.h"
#include "runtime/table/table_keys.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/table/append.h"
#include "stdlib/table/changed_table.h"
#include "stdlib/table/make_table.h"

namespace pelorus {

namespace {

Value makeKeyed(Arguments arguments, bool hasTime, bool ordered) {
    std::vector<bool> written;
    std::vector<std::string> names = takeColumnNames(arguments, &written);
    const size_t first = hasTime ? 2 : 1;
    if (arguments.size() <= first) throw UserError("The columns of the table are missing.");
    std::vector<std::string> keyColumns = namesArgument(arguments, 0, "keyColumns");
    std::string timeColumn = hasTime ? stringArgument(arguments, 1, "timeColumn") : "";
    names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), first)));
    written.erase(written.begin(), written.begin() + static_cast<std::ptrdiff_t>(std::min(written.size(), first)));
    Value table = makeTable(arguments.subspan(first), names, written);
    auto keys = std::make_unique<TableKeys>(std::move(keyColumns), std::move(timeColumn), ordered);
    static_cast<MemoryTable&>(table.table()).setKeys(std::move(keys));
    return table;
}

Value keyedTableKernel(Context&, Arguments arguments) {
    return makeKeyed(arguments, false, false);
}
// Makes a keyed stream table. The first one of rows with one key remains.
Value keyedStreamTableKernel(Context&, Arguments arguments) {
    Value table = makeKeyed(arguments, false, false);
    auto& rows = static_cast<MemoryTable&>(table.table());
    makeStream(rows);
    return table;
}
// Makes a keyed stream table that keeps the rows of a key whose time rises. The rows it is made of are its first
// append.
Value latestKeyedStreamTableKernel(Context&, Arguments arguments) {
    std::vector<bool> written;
    std::vector<std::string> names = takeColumnNames(arguments, &written);
    constexpr size_t kFirst = 2;
    if (arguments.size() <= kFirst) throw UserError("The columns of the table are missing.");
    auto keys = std::make_unique<TableKeys>(namesArgument(arguments, 0, "keyColumns"), "", false,
                                            namesArgument(arguments, 1, "timeColumn"));
    names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kFirst)));
    written.erase(written.begin(), written.begin() + static_cast<std::ptrdiff_t>(std::min(written.size(), kFirst)));
    const Value given = makeTable(arguments.subspan(kFirst), names, written);
    const auto& rows = static_cast<const MemoryTable&>(given.table());
    const Ref<MemoryTable> table = MemoryTable::empty(rows.columns());
    table->setKeys(std::move(keys));
    makeStream(*table);
    if (rows.rowCount() > 0) table->append(rows);
    return Value::of(Ref<Table>(table));
}
Value indexedTableKernel(Context&, Arguments arguments) {
    return makeKeyed(arguments, false, true);
}
Value latestKeyedTableKernel(Context&, Arguments arguments) {
    return makeKeyed(arguments, true, false);
}
Value latestIndexedTableKernel(Context&, Arguments arguments) {
    return makeKeyed(arguments, true, true);
}

// The rows of upsert!(obj, newData, [ignoreNull], [keyColNames], [sortColumns]) go into a table in memory, which is
// keyed, or the key is given.
UpsertReport upsertGivenRows(Context& context, Arguments a) {
    const bool ignoreNull = flagArgument(a, 2, "ignoreNull", false);
    if (StoredTable* stored = a[0].isTable() ? dynamic_cast<StoredTable*>(&a[0].table()) : nullptr) {
        a[0].table().asPartitioned()->require(context.principal(), Right::Insert);
        a[0].table().asPartitioned()->require(context.principal(), Right::Update);
        const Ref<MemoryTable> rows = tableToRead(a[1]);
        if (!rows) refuseArgument(1, "newData", "a table in memory", a[1]);
        StoredTable::UpsertRule rule;
        rule.ignoreNull = ignoreNull;
        if (isGiven(a, 3)) rule.keyColumns = namesArgument(a, 3, "keyColNames");
        if (isGiven(a, 4)) rule.sortColumns = namesArgument(a, 4, "sortColumns");
        AuditedData change(context, "UPSERT", a[0].table(), "", AuditedChange::Durability::Unsynced);
        const CancellationScope cancellation(&context.request->cancelled);
        const UpsertReport report = stored->upsert(*rows, rule);
        if (change.isAudited())
            change.done(fmt::format("insertedRows={}, updatedRows={}", report.inserted, report.updated));
        return report;
    }
    if (isGiven(a, 4)) throw UserError(4, "sortColumns is for partitioned tables.", "Sort the table with sortBy!.");
    ChangedTable table(a[0]);
    requireOwnColumns(*table, "upsert!");
    Ref<MemoryTable> rows = rowsToAppend(a.subspan(1, 1), *table);
    if (rows.get() == &*table) rows = rows->copy();
    if (table->keys()) return table->upsert(*rows, *table->keys(), ignoreNull);
    if (!isGiven(a, 3)) {
        throw UserError(3, "The table is not keyed: which columns are its key is missing.",
                        "Give them, as in upsert!(t, rows, keyColNames=`id).");
    }
    TableKeys keys(namesArgument(a, 3, "keyColNames"), "", false);
    for (const std::string& name : keys.columns()) {
        if (table->findColumn(name) < 0) throw unknownColumn(name, table->columns(), 3);
    }
    return table->upsert(*rows, keys, ignoreNull);
}

UpsertReport upsertRows(Context& context, Arguments arguments) {
    const UpsertReport report = upsertGivenRows(context, arguments);
    if (Progress* progress = context.request->progress) progress->addChangedRows(report.inserted, report.updated);
    return report;
}

Value upsertKernel(Context& context, Arguments arguments) {
    upsertRows(context, arguments);
    return arguments[0];
}

Value tableUpsertKernel(Context& context, Arguments arguments) {
    const UpsertReport report = upsertRows(context, arguments);
    return Value::of(Vector::of(Type::Long, std::vector<int64_t>{report.inserted, report.updated}), Form::Pair);
}

// Rows whose key begins with one of the prefixes, in the order of the prefixes, then of the table.
std::vector<int32_t> rowsByPrefix(const MemoryTable& table, const std::vector<Value>& prefixes) {
    std::vector<Value> columns;
    std::vector<Type> types;
    for (size_t i = 0; i < prefixes.size(); ++i) {
        columns.push_back(*table.column(table.keys()->columns()[i]));
        types.push_back(columns.back().type());
    }
    CompositeKeyIndex index(types);
    // The prefixes are few: the rows are looked up among them, not they among the rows.
    const std::vector<int32_t> wanted = index.insertAll(table.keys()->converted(table, prefixes));
    std::vector<std::vector<int32_t>> rowsOf(static_cast<size_t>(index.size()));
    const std::vector<int32_t> places = index.findAll(columns);
    for (size_t row = 0; row < places.size(); ++row) {
        if (places[row] >= 0) rowsOf[static_cast<size_t>(places[row])].push_back(static_cast<int32_t>(row));
    }
    std::vector<int32_t> rows;
    for (const int32_t at : wanted) {
        const auto& found = rowsOf[static_cast<size_t>(at)];
        rows.insert(rows.end(), found.begin(), found.end());
    }
    return rows;
}

// sliceByKey(table, rowKeys, [colNames], [preserveOrder]): rows always come in the order of rowKeys.
Value sliceByKeyKernel(Context&, Arguments a) {
    auto* table = asMemoryTable(a[0]);
    if (!table || !table->keys()) refuseArgument(0, "table", "a keyed or indexed table", a[0]);
    flagArgument(a, 3, "preserveOrder", false);
    const OptionalLock lock(table->lock.get());
    const TableKeys& keys = *table->keys();
    const std::vector<Value> wanted = keys.columnsOf(a[1], keys.ordered());
    std::vector<int32_t> rows;
    if (wanted.size() < keys.columns().size()) {
        rows = rowsByPrefix(*table, wanted);
    } else {
        rows = keys.find(*table, wanted);
        std::erase(rows, -1);
    }
    const auto count = static_cast<int64_t>(rows.size());
    if (!isGiven(a, 2)) return Value::of(Ref<Table>(table->gather(rows.data(), count)));
    auto result = makeRef<MemoryTable>();
    for (const std::string& name : namesArgument(a, 2, "colNames")) {
        const Value* column = table->column(name);
        if (!column) throw unknownColumn(name, table->columns(), 2);
        result->setColumn(name, gatherElements(*column, rows.data(), count));
    }
    return a[2].isScalar() ? result->column(0) : Value::of(Ref<Table>(result));
}

}  // namespace

void registerKeyedTables(FunctionRegistry& registry) {
    constexpr const char* errors = "Two rows have one key; a key column is not integral, temporal or a string.";
    registry.add(
        "keyedTable(keyColumns, X, X1...)", keyedTableKernel,
        {.summary = "A table in memory, made as table() makes it, in which a key of one or more columns stands "
                    "once: a row that is appended replaces the one with its key. Keys are found by hash.",
         .parameters = "keyColumns: the name of a key column, or several\n"
                       "X: columns, a table, or capacity:size with names and types\n"
                       "X1: more columns, or those names and types",
         .nulls = "NULL is a key like another.",
         .errors = errors,
         .example = "t = keyedTable(`id, 1 2 as id, 5 6 as v); t.append!(table(2 as id, 9 as v)); t.v -> [5,9]"},
        {.takes = {kAnything | Takes::Spelled}});
    registry.add("keyedStreamTable(keyColumn, X, X1...)", keyedStreamTableKernel,
                 {.summary = "As streamTable, with a key of one or more columns that stands once: of rows with one key "
                             "the first stays, and later ones are left out.",
                  .parameters = "keyColumn: the name of a key column, or several\n"
                                "X: columns, a table, or capacity:size with names and types\n"
                                "X1: more columns, or those names and types",
                  .nulls = "NULL is a key like another.",
                  .errors = errors,
                  .example = "t = keyedStreamTable(`id, 1 2 as id, 5 6 as v); t.append!(table(2 3 as id, 9 8 as v)); "
                             "t.v -> [5,6,8]"},
                 {.takes = {kAnything | Takes::Spelled}});
    registry.add(
        "latestKeyedStreamTable(keyColumns, timeColumn, X, X1...)", latestKeyedStreamTableKernel,
        {.summary = "As streamTable, with a key of one or more columns: a row is added when its time is greater than "
                    "that of the newest row of its key, else it is left out. Of a key that is new in an append, only "
                    "the row with the greatest time is added.",
         .parameters = "keyColumns: names\n"
                       "timeColumn: the name of a temporal or integral column, or those of a DATE and a TIME, SECOND "
                       "or NANOTIME\n"
                       "X: columns, a table, or capacity:size with names and types\n"
                       "X1: more columns, or those names and types",
         .nulls = "NULL is a key like another, and the smallest time.",
         .errors = "A key column is not integral, temporal or a string; a time column is of another type.",
         .complexity = "O(1) per row; only the rows in memory count as newest.",
         .example = "t = latestKeyedStreamTable(`id, `at, 1 2 as id, 5 6 as at); t.append!(table(1 2 3 3 as id, 7 6 8 "
                    "9 as at)); t.at -> [5,6,7,9]"},
        {.takes = {kAnything | Takes::Spelled, kAnything | Takes::Spelled}});
    registry.add("indexedTable(keyColumns, X, X1...)", indexedTableKernel,
                 {.summary = "As keyedTable; sliceByKey also finds rows by the first columns of the key alone.",
                  .parameters = "keyColumns: the name of a key column, or several\n"
                                "X: columns, a table, or capacity:size with names and types\n"
                                "X1: more columns, or those names and types",
                  .errors = errors,
                  .example = "t = indexedTable(`a`b, 1 1 as a, 2 3 as b); sliceByKey(t, 1, `b) -> [2,3]"},
                 {.takes = {kAnything | Takes::Spelled}});
    registry.add("latestKeyedTable(keyColumns, timeColumn, X, X1...)", latestKeyedTableKernel,
                 {.summary = "As keyedTable; a row replaces the one with its key unless its time is earlier.",
                  .parameters = "keyColumns: the name of a key column, or several\n"
                                "timeColumn: the name of the column whose greatest value stays: temporal or integral\n"
                                "X: columns, a table, or capacity:size with names and types\n"
                                "X1: more columns, or those names and types",
                  .errors = errors,
                  .example = "t = latestKeyedTable(`id, `at, 1 as id, 5 as at); t.append!(table(1 as id, 4 as at)); "
                             "t.at -> [5]"},
                 {.takes = {kAnything | Takes::Spelled}});
    registry.add("latestIndexedTable(keyColumns, timeColumn, X, X1...)", latestIndexedTableKernel,
                 {.summary = "As indexedTable; a row replaces the one with its key unless its time is earlier.",
                  .parameters = "keyColumns: the name of a key column, or several\n"
                                "timeColumn: the name of the column whose greatest value stays: temporal or integral\n"
                                "X: columns, a table, or capacity:size with names and types\n"
                                "X1: more columns, or those names and types",
                  .errors = errors,
                  .example = "t = latestIndexedTable(`id, `at, 1 as id, 5 as at); t.append!(table(1 as id, 6 as at)); "
                             "t.at -> [6]"},
                 {.takes = {kAnything | Takes::Spelled}});
    registry.add(
        "upsert!(obj, newData, [ignoreNull=false], [keyColNames], [sortColumns])", upsertKernel,
        {.summary = "Replaces the rows of a table in memory that have the keys of new ones, appends the other "
                    "new rows, and returns the table.",
         .parameters =
             "obj: a table in memory, or of a database\n"
             "newData: a table with the new rows, whose columns go by position\n"
             "ignoreNull: true keeps what is there where a new row has NULL\n"
             "keyColNames: the key when the table is not keyed; of rows with one key the first is replaced\n"
             "sortColumns: names of columns that order the rows of changed partitions; an error for a table in memory",
         .nulls = "Replace what is there, unless ignoreNull.",
         .errors = "The columns do not fit: nothing has changed then.",
         .example = "t = keyedTable(`id, 1 2 as id, 5 6 as v); upsert!(t, table(2 3 as id, 8 9 as v)).v -> "
                    "[5,8,9]"},
        {.mutatesFirst = true});
    registry.add(
        "tableUpsert(obj, newData, [ignoreNull=false], [keyColNames], [sortColumns])", tableUpsertKernel,
        {.summary = "As upsert!, but returns how many rows were added and how many replaced.",
         .parameters =
             "obj: a table in memory, or of a database\n"
             "newData: a table with the new rows, whose columns go by position\n"
             "ignoreNull: true keeps what is there where a new row has NULL\n"
             "keyColNames: the key when the table is not keyed\n"
             "sortColumns: names of columns that order the rows of changed partitions; an error for a table in memory",
         .example = "t = keyedTable(`id, 1 2 as id, 5 6 as v); tableUpsert(t, table(2 3 as id, 8 9 as v)) -> "
                    "1 : 1"},
        {.mutatesFirst = true, .givesOther = true});
    registry.add(
        "sliceByKey(table, rowKeys, [colNames], [preserveOrder=false])", sliceByKeyKernel,
        {.summary = "The rows of a keyed table with the keys, in the order of these: a table, or a vector when "
                    "colNames is one name. Keys that are absent are left out.",
         .parameters = "table: a keyed or indexed table\n"
                       "rowKeys: values for each column of the key, or for the first ones of an indexed table\n"
                       "colNames: the name of a column, or several; all when omitted\n"
                       "preserveOrder: has no effect: rows come in the order of rowKeys",
         .complexity = "O(rowKeys) for whole keys",
         .example = "t = keyedTable(`id, 1 2 3 as id, 5 6 7 as v); sliceByKey(t, 3 1, `v) -> [7,5]"},
        {.takesSharedTables = true});
}

}  // namespace pelorus
