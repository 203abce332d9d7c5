// Appends rows to several tables as one transaction.
#pragma once

#include <vector>

#include "runtime/append/table_transaction.h"
#include "runtime/table/stored_table.h"

namespace pelorus {

// Stores the rows of all tables atomically: when it returns all are durable and visible, when it throws none is
// visible. Throws as PartitionedTable::append does, and UserError for a row without a partition. REQUIRES: the
// tables belong to databases of this process's service. With a transaction the rows are stored as its commit, by one
// record with what it has changed, and it has ended then.
void appendTogether(const std::vector<RowsOfTable>& parts, Transaction* with = nullptr);

}  // namespace pelorus
