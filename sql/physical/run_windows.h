// Windows over rows in memory, or in parts where they exceed it.
#pragma once

#include <functional>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/plan/row_source.h"
#include "sql/plan/window_node.h"

namespace pelorus {

// Run the nodes of context by. `source`: what their scan reads; `readRows` gives the rows of their input.
Ref<MemoryTable> runWindow(const WindowNode& node, const RowSource& source,
                           const std::function<Ref<MemoryTable>()>& readRows, Context& context);
Ref<MemoryTable> runRoll(const RollNode& node, const RowSource& source,
                         const std::function<Ref<MemoryTable>()>& readRows, Context& context);

}  // namespace pelorus
