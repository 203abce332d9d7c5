// The use of an index in words, as explain prints it.
#pragma once

#include <string>
#include <vector>

#include "runtime/append/column_constraint.h"
#include "runtime/table/table.h"

namespace pelorus {

// Returns "Index look-up using orders_pkey (w_id, d_id)" where an index of the snapshot finds rows that satisfy the
// constraints; empty where none does. Reads no row.
std::string indexText(const TableSnapshot& snapshot, const TableSchema& columns,
                      const std::vector<ColumnConstraint>& constraints);

}  // namespace pelorus
