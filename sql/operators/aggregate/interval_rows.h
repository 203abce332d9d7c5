// group by with interval(X, duration, fill, …): windows of time as a key.
#pragma once

#include <functional>

#include "runtime/function/context.h"
#include "sql/plan/group_nodes.h"

namespace pelorus {

// Returns the rows of an Interval. `runGroups`: runs the node's groups over the rows of windows.
Ref<MemoryTable> intervalRows(const IntervalNode& node, const MemoryTable& rows,
                              const std::function<Ref<MemoryTable>(const Ref<MemoryTable>&)>& runGroups,
                              Context& context);

}  // namespace pelorus
