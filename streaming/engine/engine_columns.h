// Columns of an engine's input by their names.
#pragma once

#include <string>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

// Returns the numbers of these columns. Throws UserError, for the argument at this position, when there is no such
// column.
std::vector<int> columnsNamed(const TableSchema& columns, const std::vector<std::string>& names, int argument);
// Returns the columns with these numbers.
TableSchema columnsAt(const TableSchema& columns, const std::vector<int>& numbers);

}  // namespace pelorus
