// Columns are found by their names without regard to case; where two differ in case only, by the exact one.
#pragma once

#include "runtime/table/table.h"

namespace pelorus {

// Returns the position of the column, or -1.
int findColumn(const TableSchema& columns, std::string_view name);

}  // namespace pelorus
