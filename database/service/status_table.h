// Small tables made row by row, as administration functions return them.
#pragma once

#include <vector>

#include "runtime/table/table.h"
#include "runtime/value/value.h"

namespace pelorus {

// Each row has one scalar per column, of the column's type or VOID.
Value statusTable(const TableSchema& schema, const std::vector<std::vector<Value>>& rows);

}  // namespace pelorus
