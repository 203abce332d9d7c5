// Aggregates over windows of a table's rows, one window for each row of another.
#pragma once

#include <span>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/keys/join_keys.h"
#include "sql/operators/window/range_aggregates.h"

namespace pelorus {

// Returns the left table with a column for each aggregate of metacode over the right table's columns; NULL where the
// window is empty. A window is a range of one group of `rows`, which lists rows of the right table. A bare column
// yields the values of each window as a tuple. `before`: sums of the rows in front of those of the right table, when
// they are the end of the one group.
Ref<MemoryTable> windowAggregates(const MemoryTable& left, const MemoryTable& right, const GroupRows& rows,
                                  std::span<const RowSpan> windows, const NodeList& aggregates,
                                  const SumsBefore& before, Context& context);

// Adds further rows of the right table, in order, to the sums with which later windows begin.
void addToSums(const MemoryTable& rows, const NodeList& aggregates, SumsBefore& sums, Context& context);

}  // namespace pelorus
