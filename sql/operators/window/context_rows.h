// context by over rows in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/plan/window_node.h"

namespace pelorus {

// Computes a Window over the rows of its input. `sources`, where given, takes for each row of the result a row of the
// input of the same group: that from which it comes, unless items give a group another number of rows.
Ref<MemoryTable> contextRows(const WindowNode& node, const MemoryTable& rows, Context& context,
                             std::vector<int32_t>* sources = nullptr);

// Returns the result of a context by expression for a group, as one value for each of its rows; of VOID for a NULL of
// no type.
Value rowsOfGroup(const Value& v, int64_t rows);

}  // namespace pelorus
