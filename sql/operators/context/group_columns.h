// Functions of a group's rows as columns: price - avg(price) and cumsum(deltas(price)) in context by, computed for all
// groups at once, along their bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Pieces of consecutive groups for one task each, with similar numbers of rows.
struct GroupPiece {
    size_t firstGroup = 0, endGroup = 0;
};
std::vector<GroupPiece> groupPieces(const std::vector<int32_t>& begin);

// Replaces the calls of aggregates, and of functions that look back, by columns that are added to `rows`, in which
// group g has the rows from begin[g] to begin[g + 1]; null unless the remaining expression depends on one row only.
NodeRef withGroupColumns(const NodeRef& item, MemoryTable& rows, const std::vector<int32_t>& begin, Context& context);

}  // namespace pelorus
