// select roll(X, step, …), … context by: one row per window of a group, where windows step by time, rows or volume.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/plan/window_node.h"

namespace pelorus {

// Computes a Roll over the rows of its input. `sources`, where given, takes for each row of the result a row of its
// group.
Ref<MemoryTable> rollRows(const RollNode& node, const MemoryTable& rows, Context& context,
                          std::vector<int32_t>* sources = nullptr);

}  // namespace pelorus
