// f(…) over (…): windows become columns of the rows, or of the groups, and the rest of the select reads those.
#pragma once

#include <functional>

#include "runtime/function/context.h"
#include "sql/physical/pipelines.h"
#include "sql/plan/row_source.h"
#include "sql/plan/window_node.h"

namespace pelorus {

// Runs the select of an Over. `source`: what the scan below reads; `readRows` gives the rows of the input, where they
// fit in memory.
SelectedRows runOver(const OverNode& node, const RowSource& source, const std::function<Ref<MemoryTable>()>& readRows,
                     Context& context);

}  // namespace pelorus
