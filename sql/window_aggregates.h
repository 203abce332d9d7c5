// Aggregates over windows of a table's rows, one window for each row of another.
#pragma once

#include <span>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/context.h"
#include "runtime/table.h"
#include "sql/join_keys.h"
#include "sql/range_aggregates.h"

namespace pelorus {

// The left table with a column for each aggregate of metacode over the right table's columns; NULL where the window is
// empty. A window is a range of one group of `rows`, which lists rows of the right table. A bare column gives the
// values of each window as a tuple.
Ref<MemoryTable> windowAggregates(const MemoryTable& left, const MemoryTable& right, const GroupRows& rows,
                                  std::span<const RowSpan> windows, const NodeList& aggregates, Context& context);

}  // namespace pelorus
