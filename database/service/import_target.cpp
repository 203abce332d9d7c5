#include "database/service/import_target.h"

#include "common/error.h"
#include "database/service/database_handle.h"
#include "database/service/partition_columns.h"
#include "runtime/function/principal.h"
#include "runtime/function/progress.h"
#include "runtime/table/audited_data.h"

namespace pelorus {

namespace {

void makeTable(Context& context, DatabaseService& service, const ImportTarget& target, const TableSchema& columns) {
    TableEntry table;
    table.database = target.path;
    table.name = target.name;
    table.schema = columns;
    setPartitionColumns(table, target.partitionColumns, context);
    table.sortColumns = target.sortColumns;
    table.compressMethods.assign(columns.size(), "lz4");
    table.owner = context.principal().user();
    AuditedData change(context, table.partitionColumns.empty() ? "CREATE_TABLE" : "CREATE_PARTITIONED_TABLE",
                       target.path, target.name);
    service.catalog().createTable(std::move(table));
    change.done();
}

}  // namespace

Ref<PartitionedTable> openImportTarget(Context& context, const ImportTarget& target, const TableSchema& columns) {
    DatabaseService& service = databasesOf(context, target.path);
    if (!service.catalog().findTable(target.path, target.name)) {
        if (target.isTransformed) {
            throw UserError(target.transformArgument,
                            "With transform the table must exist, but there is no table " + target.name + " in " +
                                target.path + ".",
                            "Create it with createPartitionedTable first.");
        }
        makeTable(context, service, target, columns);
    }
    const Ref<PartitionedTable> table =
        service.open(service.catalog().database(target.path), service.catalog().table(target.path, target.name));
    table->require(context.principal(), Right::Insert);
    return table;
}

void ImportIntoTable::append(const MemoryTable& rows) {
    AuditedData change(context_, "APPEND", table_, "", AuditedChange::Durability::Unsynced);
    const AppendReport appended = table_.append(rows);
    change.done("appendedRows=" + std::to_string(appended.written));
    if (total_.outsideScheme == 0) total_.firstOutside = appended.firstOutside;
    total_.written += appended.written;
    total_.outsideScheme += appended.outsideScheme;
}

void ImportIntoTable::tell(const std::string& file) const {
    if (context_.request->progress) context_.request->progress->addDroppedRows(total_.outsideScheme);
    if (total_.outsideScheme > 0 && context_.request->print) {
        context_.request->print(file + ": " + std::to_string(total_.outsideScheme) + " of " +
                                std::to_string(total_.outsideScheme + total_.written) +
                                " rows were not stored: no partition takes them; the first of its block is " +
                                total_.firstOutside + ".");
    }
}

Ref<MemoryTable> transformedRows(Context& context, const Value& transform, int argument, Ref<MemoryTable> rows) {
    Value given = Value::of(Ref<Table>(std::move(rows)));
    Value result = transform.function().call(context, {&given, 1});
    Ref<MemoryTable> table = tableToRead(result);
    if (!table) throw UserError(argument, "transform must return a table in memory.");
    return table;
}

}  // namespace pelorus
