// Parses partitionColumns of a new table: names of columns, and calls of functions such as "f(column, 3)".
#pragma once

#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "storage/catalog/catalog.h"

namespace pelorus {

// Sets the partition columns and functions of `table`, whose schema is known. Evaluates the constants and the function
// in `context`. Throws UserError for a call that has not exactly one column of the table among its arguments, or other
// arguments than scalars.
void setPartitionColumns(TableEntry& table, const std::vector<std::string>& given, Context& context);

}  // namespace pelorus
