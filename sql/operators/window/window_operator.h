// The operator of f(…) over (partition by … order by … frame): columns of windows over rows in memory.
//
// Windows with the same partitions and order share their rows, which are cut once (sql/keys/parted_rows.h). The parts
// are computed by as many threads as there are, each by one call of a kernel (window_kernels.h): a group costs no call.
#pragma once

#include <span>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/operators/window/bound_window.h"
#include "sql/operators/window/window_frames.h"
#include "sql/plan/window_node.h"

namespace pelorus {

// Adds a column to `rows` for each window function.
void addWindowColumns(std::span<const OverNode::Column> windows, MemoryTable& rows, Context& context);

// Returns the function's value for each of the rows, which lie group by group and in order, when a range contains every
// row that they read. `order` are the rows' keys. REQUIRES: findPeers, where the window reads them.
Value windowValues(const BoundWindow& window, const WindowRows& bounds, std::span<const OrderKey> order,
                   const MemoryTable& rows, Context& context);

}  // namespace pelorus
