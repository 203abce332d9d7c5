// Top-N: the first rows in an order, without sorting all of them; other columns are read for the result rows only.
#pragma once

#include <vector>

#include "runtime/function/context.h"
#include "runtime/kernel/sort/row_order.h"
#include "sql/operators/collect_rows.h"

namespace pelorus {

// Returns the first `count` rows of `source` that pass `filter`, in the order of the keys and, where those are equal,
// of the source. Only the keys are computed for all rows; blocks whose bounds come after `count` rows already found are
// not read, and the other columns are computed for the rows of the result. Memory: O(count) per morsel.
// REQUIRES: keys are not empty, count > 0.
Ref<MemoryTable> topRows(const RowSource& source, Filter& filter, const std::vector<RowItem>& items,
                         const std::vector<TopKey>& keys, int64_t count, Context& context);

}  // namespace pelorus
