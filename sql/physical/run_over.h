// f(…) over (…): windows become columns of the rows, or of the groups, and the rest of the select reads those.
#pragma once

#include <functional>

#include "runtime/function/context.h"
#include "sql/physical/pipelines.h"
#include "sql/plan/window_node.h"

namespace pelorus {

// Runs the select of an Over whose input gives these rows. `readRows` reads them, where they fit in memory.
SelectedRows runOver(const OverNode& node, const std::function<Ref<MemoryTable>()>& readRows, Context& context);
// Runs the select of windows over groups of the node's source.
SelectedRows runOverGroups(const OverGroupsNode& node, const RowSource& source, Context& context);

}  // namespace pelorus
