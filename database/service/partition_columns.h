// partitionColumns of a new table: names of columns, and calls of functions such as "f(column, 3)".
#pragma once

#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "storage/catalog/catalog.h"

namespace pelorus {

// Sets the columns and functions of a table whose schema is known. Throws UserError for a call that has not exactly one
// column of the table among its arguments, or other arguments than scalar constants.
void setPartitionColumns(TableEntry& table, const std::vector<std::string>& given, Context& context);

}  // namespace pelorus
