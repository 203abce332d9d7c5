// Aggregates over windows of a table's rows, one window for each row of another.
#pragma once

#include <functional>
#include <span>

#include "runtime/code/query.h"
#include "runtime/context.h"
#include "runtime/table.h"

namespace pelorus {

using RowsOfWindow = std::function<std::span<const int32_t>(size_t leftRow)>;

// The left table with a column for each aggregate of metacode over the right table's columns; NULL where the window is
// empty. A bare column gives the values of each window as a tuple.
Ref<MemoryTable> windowAggregates(const MemoryTable& left, const MemoryTable& right, size_t count,
                                  const RowsOfWindow& rowsOf, const NodeList& aggregates, Context& context);

}  // namespace pelorus
