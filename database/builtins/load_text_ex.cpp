// loadTextEx: loads a text file into a partitioned table, block by block.
#include "common/error.h"
#include "database/builtins/builtins_database.h"
#include "database/service/database_handle.h"
#include "database/service/import_target.h"
#include "presentation/import/text_arguments.h"
#include "presentation/import/text_import.h"

namespace pelorus {

namespace {

using namespace text;

constexpr size_t kTransactionBytes = 256 << 20;

TableSchema tableSchemaFrom(const TextSchema& schema) {
    TableSchema columns;
    for (const TextColumn& column : schema) columns.push_back({column.name, column.type, column.scale, ""});
    return columns;
}

Value loadInMemory(Context& context, const Value& transform, TextImport& import) {
    Ref<MemoryTable> all;
    while (Ref<MemoryTable> rows = import.next(kTransactionBytes)) {
        if (!transform.isVoid()) rows = transformedRows(context, transform, 7, std::move(rows));
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
    const ImportTarget target{path,
                              name,
                              namesArgument(arguments[2], 2, "partitionColumns"),
                              namesArgument(arguments[8], 8, "sortColumns"),
                              !arguments[7].isVoid(),
                              7};
    const Ref<PartitionedTable> table = openImportTarget(context, target, tableSchemaFrom(import.schema()));
    ImportIntoTable storing(context, *table);
    // One transaction takes the whole file at once; otherwise it takes as many bytes as memory allows.
    const size_t transactionBytes = atomic ? SIZE_MAX : kTransactionBytes;
    while (Ref<MemoryTable> rows = import.next(transactionBytes)) {
        if (!arguments[7].isVoid()) rows = transformedRows(context, arguments[7], 7, std::move(rows));
        storing.append(*rows);
    }
    import.tell();
    storing.tell(file);
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
         .parameters = "dbHandle: a database that database() has opened\n"
                       "tableName: the name of the table; omitted for a database in memory\n"
                       "partitionColumns: the names of its partition columns, for a table that is made\n"
                       "filename: the path of the file\n"
                       "delimiter: as that of loadText\n"
                       "schema: as that of loadText\n"
                       "skipRows: lines left out at the beginning\n"
                       "transform: a function of a table, applied to each block of rows\n"
                       "sortColumns: the names of its sort columns, for a table that is made\n"
                       "atomic: one transaction for the whole file instead of one per block\n"
                       "arrayDelimiter: as that of loadText\n"
                       "containHeader: whether the first line has the names; detected when omitted\n"
                       "arrayMarker: as that of loadText",
         .nulls = "As loadText.",
         .errors = "The file cannot be read, or its columns do not fit the table.",
         .example = "loadTextEx(database(\"dfs://TAQ\"), `quotes, `date, \"/data/quotes.csv\")"});
}

}  // namespace pelorus
