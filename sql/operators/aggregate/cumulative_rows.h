// cgroup by: each group holds the rows of those before it, in the order of order by.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/group_nodes.h"

namespace pelorus {

// Returns the rows of a Cumulative over the rows of a source that pass conditions.
Ref<MemoryTable> cumulatedStates(const CumulativeNode& node, const RowSource& source, const NodeList& conditions,
                                 Context& context);
// Computes select lists with functions of whole columns over the rows of each group and of those before it.
Ref<MemoryTable> cumulatedRows(const CumulativeRowsNode& node, const MemoryTable& rows, Context& context);

}  // namespace pelorus
