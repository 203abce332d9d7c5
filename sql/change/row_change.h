// Updates and deletes rows of row tables.
#pragma once

#include <cstdint>

#include "runtime/append/row_access.h"
#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

// Runs an update or delete on a row table, and returns the number of rows that match. The change is computed from a
// snapshot and applied if the rows are still those; else it is computed again. Checks no right. Throws as
// RowAccess::changeRows does.
int64_t changeRowTable(const Query& query, const PartitionedTable& table, RowAccess& access, Context& context);

}  // namespace pelorus
