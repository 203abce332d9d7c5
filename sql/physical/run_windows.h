// Windows over rows in memory, or in parts where they exceed it.
#pragma once

#include <functional>

#include "runtime/function/context.h"
#include "sql/physical/pipelines.h"
#include "sql/plan/row_source.h"
#include "sql/plan/window_node.h"

namespace pelorus {

// Run the nodes of context by. `source`: what their scan reads; `readRows` gives the rows of their input, where they
// fit in memory.
Ref<MemoryTable> runWindow(const WindowNode& node, const RowSource& source,
                           const std::function<Ref<MemoryTable>()>& readRows, Context& context);
Ref<MemoryTable> runRoll(const RollNode& node, const RowSource& source,
                         const std::function<Ref<MemoryTable>()>& readRows, Context& context);
// Runs the select of an Over: windows become columns of the rows, or of the groups, and the rest of the select reads
// those.
SelectedRows runOver(const OverNode& node, const RowSource& source, const std::function<Ref<MemoryTable>()>& readRows,
                     Context& context);

}  // namespace pelorus
