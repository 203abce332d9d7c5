// The table that loadTextEx and loadParquetEx fill.
#pragma once

#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// How the table is made when there is none.
struct ImportTarget {
    std::string path, name;                     // of the database and the table
    std::vector<std::string> partitionColumns;  // of a table that is made
    std::vector<std::string> sortColumns;
    bool isTransformed = false;  // rows are changed first: then the table must exist
    int transformArgument = 0;   // which errors name
};

// Returns the table to fill; makes it with these columns when there is none. Throws UserError when the user may not
// insert, or a table that must exist does not.
Ref<PartitionedTable> openImportTarget(Context& context, const ImportTarget& target, const TableSchema& columns);

// Fills a table block by block, each in one transaction, and counts the rows.
class ImportIntoTable {
public:
    ImportIntoTable(Context& context, PartitionedTable& table) : context_(context), table_(table) {}
    // Stores the rows. Throws as the table does: then none of them is stored, and those of earlier calls are.
    void append(const MemoryTable& rows);
    // Reports rows that were not stored, since no partition takes them.
    void tell(const std::string& file) const;

private:
    Context& context_;
    PartitionedTable& table_;
    AppendReport total_;
};

// Returns what a script's function makes of a block of rows. Throws UserError, naming the argument, when that is no
// table in memory.
Ref<MemoryTable> transformedRows(Context& context, const Value& transform, int argument, Ref<MemoryTable> rows);

}  // namespace pelorus
