// Appends rows to several tables as one transaction.
#pragma once

#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

// The rows to append to one table.
struct RowsOfTable {
    Ref<PartitionedTable> table;
    Ref<MemoryTable> rows;
};

// Stores the rows of all tables atomically: when it returns all are durable and visible, when it throws none is
// visible. Throws as PartitionedTable::append does, and UserError for a row without a partition. REQUIRES: the
// tables belong to databases of this process's service.
void appendTogether(const std::vector<RowsOfTable>& parts);

}  // namespace pelorus
