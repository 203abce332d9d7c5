// Appends to several tables as one transaction.
#pragma once

#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

struct RowsOfTable {
    Ref<PartitionedTable> table;
    Ref<MemoryTable> rows;
};

// Stores the rows of all tables, which belong to databases of this process's service: when it returns they are durable
// and visible, when it throws none is. Otherwise as PartitionedTable::storeRows, but that a row without a partition is
// an error.
void storeTogether(const std::vector<RowsOfTable>& parts);

}  // namespace pelorus
