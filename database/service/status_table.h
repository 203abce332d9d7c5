// Makes the small tables that administration functions return.
#pragma once

#include <vector>

#include "runtime/table/table.h"
#include "runtime/value/value.h"

namespace pelorus {

// Returns a table of these rows. REQUIRES: each row has one scalar per column, of the column's type or VOID.
Value statusTable(const TableSchema& schema, const std::vector<std::vector<Value>>& rows);

}  // namespace pelorus
