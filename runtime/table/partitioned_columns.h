// Whole columns of partitioned tables in memory: t[`c] = v and update!(t, `c, v).
#pragma once

#include <string>

#include "runtime/table/table.h"

namespace pelorus {

// Sets the values of a column, in the order in which a query shows the rows; a scalar is repeated, a column that does
// not exist is added. Throws UserError for tables on disk, partition columns, and values of another length.
void assignColumn(PartitionedTable& table, const std::string& name, const Value& elements);

}  // namespace pelorus
