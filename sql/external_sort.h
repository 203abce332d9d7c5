// Order by of more rows than memory holds twice: sorted runs go to disk and are merged.
#pragma once

#include <vector>

#include "runtime/context.h"
#include "runtime/kernel/row_order.h"
#include "runtime/table.h"

namespace pelorus {

// The rows in order, stable. The caller's reference to them is given up, so that they need not be held beside the
// result. On disk only when there is no room for the sort in memory.
Ref<MemoryTable> sortedRows(Ref<MemoryTable> rows, std::vector<OrderKey> keys, Context& context);

}  // namespace pelorus
