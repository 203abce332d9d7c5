// loadParquetEx: loads Parquet files into a partitioned table, some row groups at a time.
#include "common/error.h"
#include "database/builtins/builtins_database.h"
#include "database/service/database_handle.h"
#include "database/service/import_target.h"
#include "runtime/function/progress.h"
#include "runtime/parquet/parquet_selection.h"

namespace pelorus {

namespace {

// Rows of one transaction, beyond which no further row group is added to it.
constexpr int64_t kTransactionRows = int64_t{4} << 20;

// Calls f with the rows of some row groups at a time.
template <class F>
void forEachBatch(const ParquetSelection& selection, Context& context, F&& f) {
    ProgressPhase progress(context.request->progress, "import", ProgressUnit::Rows, selection.table().rowCount());
    for (int begin = 0; begin < selection.rowGroupCount();) {
        context.checkCancelled();
        int end = begin;
        for (int64_t rows = 0; end < selection.rowGroupCount() && (end == begin || rows < kTransactionRows); ++end)
            rows += selection.table().rowsOfGroup(selection.firstRowGroup() + end);
        Ref<MemoryTable> rows = selection.load(begin, end - begin, context);
        const int64_t count = rows->rowCount();
        f(std::move(rows));
        progress.add(count);
        begin = end;
    }
}

Value loadParquetExKernel(Context& context, Arguments arguments) {
    const Value& transform = arguments[8];
    if (!transform.isVoid() && !transform.isFunction()) throw UserError(8, "transform must be a function of a table.");
    const ParquetSelection selection(context,
                                     {arguments[3], arguments[4], arguments[5], arguments[6], arguments[7], 3, 4});
    const DatabaseHandle* handle = databaseHandle(arguments[0]);
    const bool isNameless = arguments[0].isString() && arguments[0].string().empty();
    if ((handle != nullptr && handle->inMemory()) || isNameless) {
        Ref<MemoryTable> all;
        forEachBatch(selection, context, [&](Ref<MemoryTable> rows) {
            if (!transform.isVoid()) rows = transformedRows(context, transform, 8, std::move(rows));
            if (!all)
                all = std::move(rows);
            else
                all->append(*rows);
        });
        if (!all) all = MemoryTable::empty(selection.schema());
        return Value::of(Ref<Table>(all));
    }
    const ImportTarget target{givenDatabasePath(context, arguments[0], 0),
                              nameArgument(arguments[1], 1, "tableName"),
                              namesArgument(arguments[2], 2, "partitionColumns"),
                              {},
                              !transform.isVoid(),
                              8};
    const Ref<PartitionedTable> table = openImportTarget(context, target, selection.schema());
    ImportIntoTable storing(context, *table);
    forEachBatch(selection, context, [&](Ref<MemoryTable> rows) {
        if (!transform.isVoid()) rows = transformedRows(context, transform, 8, std::move(rows));
        storing.append(*rows);
    });
    storing.tell(std::string(arguments[3].string()));
    return openTable(context, target.path, target.name);
}

}  // namespace

void registerLoadParquetEx(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Files, Effect::Writes);
    registry.add(
        "loadParquetEx(dbHandle, [tableName], [partitionColumns], fileName, [schema], [columnsToLoad], "
        "[startRowGroup=0], [rowGroupNum], [transform])",
        loadParquetExKernel,
        {.summary = "Loads Parquet files into a table of a database, which is made when it does not exist; returns the "
                    "table.",
         .parameters = "dbHandle: a database; one without a path, or an empty string, gives a table in memory\n"
                       "fileName, schema, columnsToLoad, startRowGroup, rowGroupNum: as those of loadParquet\n"
                       "transform: a function of a table, applied to the rows of some row groups at a time",
         .nulls = "As loadParquet.",
         .errors = "As loadParquet; the columns do not fit the table. Row groups before the one that could not be read "
                   "are stored, each transaction whole.",
         .complexity = "O(cells); memory for some 4 million rows at a time",
         .example = "loadParquetEx(database(\"dfs://TAQ\"), `trades, `date, \"/data/trades/*.parquet\")"});
    registry.alias("parquet::loadParquetEx", "loadParquetEx");
}

}  // namespace pelorus
