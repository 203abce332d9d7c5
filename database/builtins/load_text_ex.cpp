// loadTextEx: loads a text file into a partitioned table, block by block.
#include "common/error.h"
#include "database/builtins/builtins_database.h"
#include "database/service/database_handle.h"
#include "database/service/partition_columns.h"
#include "presentation/import/text_arguments.h"
#include "presentation/import/text_import.h"
#include "runtime/function/principal.h"
#include "runtime/function/progress.h"
#include "runtime/table/audited_data.h"

namespace pelorus {

namespace {

using namespace text;

constexpr size_t kTransactionBytes = 256 << 20;

TableSchema tableSchemaFrom(const TextSchema& schema) {
    TableSchema columns;
    for (const TextColumn& column : schema) columns.push_back({column.name, column.type, column.scale, ""});
    return columns;
}

// Returns the table to fill; makes it with the file's columns when there is none.
Ref<PartitionedTable> target(Context& context, const std::string& path, const std::string& name, Arguments arguments,
                             const TextSchema& schema) {
    DatabaseService& service = databasesOf(context, path);
    if (!service.catalog().findTable(path, name)) {
        if (!arguments[7].isVoid()) {
            throw UserError(7,
                            "With transform the table must exist, but there is no table " + name + " in " + path + ".",
                            "Create it with createPartitionedTable first.");
        }
        TableEntry table;
        table.database = path;
        table.name = name;
        table.schema = tableSchemaFrom(schema);
        setPartitionColumns(table, namesArgument(arguments[2], 2, "partitionColumns"), context);
        table.sortColumns = namesArgument(arguments[8], 8, "sortColumns");
        table.compressMethods.assign(schema.size(), "lz4");
        table.owner = context.principal().user();
        AuditedData change(context, table.partitionColumns.empty() ? "CREATE_TABLE" : "CREATE_PARTITIONED_TABLE", path,
                           name);
        service.catalog().createTable(std::move(table));
        change.done();
    }
    return service.open(service.catalog().database(path), service.catalog().table(path, name));
}

Ref<MemoryTable> transformed(Context& context, const Value& transform, Ref<MemoryTable> rows) {
    Value argument = Value::of(Ref<Table>(rows));
    Value result = transform.function().call(context, {&argument, 1});
    const Ref<MemoryTable> table = tableToRead(result);
    if (table == nullptr) throw UserError(7, "transform must return a table in memory.");
    return Ref<MemoryTable>(table);
}

Value loadInMemory(Context& context, const Value& transform, TextImport& import) {
    Ref<MemoryTable> all;
    while (Ref<MemoryTable> rows = import.next(kTransactionBytes)) {
        if (!transform.isVoid()) rows = transformed(context, transform, rows);
        if (!all)
            all = std::move(rows);
        else
            all->append(*rows);
    }
    if (!all) all = MemoryTable::empty(tableSchemaFrom(import.schema()));
    return Value::of(Ref<Table>(all));
}

Value loadTextExKernel(Context& context, Arguments arguments) {
    const std::string file = fileFrom(arguments[3], 3);
    if (!arguments[7].isVoid() && !arguments[7].isFunction())
        throw UserError(7, "transform must be a function of a table.");
    TextOptions options = optionsFrom(arguments[4], 4, arguments[6], 6, arguments[11]);
    takeArrayOptions(options, arguments[10], 10, arguments[12], 12);
    const bool atomic = !arguments[9].isVoid() && !arguments[9].isNull() && arguments[9].integer() != 0;
    TextImport import(context, file, options, arguments[5], 5);
    const DatabaseHandle* handle = databaseHandle(arguments[0]);
    if (handle != nullptr && handle->inMemory()) {
        Value table = loadInMemory(context, arguments[7], import);
        import.tell();
        return table;
    }
    const std::string path = givenDatabasePath(context, arguments[0], 0);
    const std::string name = nameArgument(arguments[1], 1, "tableName");
    const Ref<PartitionedTable> table = target(context, path, name, arguments, import.schema());
    table->require(context.principal(), Right::Insert);
    AppendReport total;
    // One transaction takes the whole file at once; otherwise it takes as many bytes as memory allows.
    const size_t transactionBytes = atomic ? SIZE_MAX : kTransactionBytes;
    while (Ref<MemoryTable> rows = import.next(transactionBytes)) {
        if (!arguments[7].isVoid()) rows = transformed(context, arguments[7], std::move(rows));
        AuditedData change(context, "APPEND", *table, "", AuditedChange::Durability::Unsynced);
        const AppendReport appended = table->append(*rows);
        change.done("appendedRows=" + std::to_string(appended.written));
        if (total.outsideScheme == 0) total.firstOutside = appended.firstOutside;
        total.written += appended.written;
        total.outsideScheme += appended.outsideScheme;
    }
    import.tell();
    if (context.request->progress) context.request->progress->addDroppedRows(total.outsideScheme);
    if (total.outsideScheme > 0 && context.request->print) {
        context.request->print(file + ": " + std::to_string(total.outsideScheme) + " of " +
                               std::to_string(total.outsideScheme + total.written) +
                               " rows were not stored: no partition takes them; the first of its block is " +
                               total.firstOutside + ".");
    }
    return openTable(context, path, name);
}

}  // namespace

void registerLoadTextEx(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Files, Effect::Writes);
    registry.add(
        "loadTextEx(dbHandle, [tableName], [partitionColumns], filename, [delimiter], [schema], [skipRows=0], "
        "[transform], [sortColumns], [atomic=false], [arrayDelimiter], [containHeader], [arrayMarker])",
        loadTextExKernel,
        {.summary = "Loads a delimited text file into a table of a database, which is made when it does not exist; "
                    "returns the table.",
         .parameters = "transform: a function of a table, applied to each block of rows\natomic: one transaction for "
                       "the whole file instead of one per block",
         .nulls = "As loadText.",
         .errors = "The file cannot be read, or its columns do not fit the table.",
         .example = "loadTextEx(database(\"dfs://TAQ\"), `quotes, `date, \"/data/quotes.csv\")"});
}

}  // namespace pelorus
