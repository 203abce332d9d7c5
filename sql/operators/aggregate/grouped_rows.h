// group by, and aggregates over all rows.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "sql/plan/group_nodes.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Returns the rows of an Aggregate of the rows of a source that pass conditions. When the source is partitioned over
// nodes, partial queries run where the partitions are stored. Where the node has its keys last, groups come in any
// order: the caller sorts the rows; the keys then are in further columns, lastOrderColumn(0) and on, and break ties.
Ref<MemoryTable> aggregatedRows(const AggregateNode& node, const RowSource& source, const NodeList& conditions,
                                Context& context);
// Computes select lists with functions of all rows of a group.
Ref<MemoryTable> rowsOfWholeGroups(const WholeGroupsNode& node, const MemoryTable& rows, Context& context);
// Binds a grouped select over a table in memory, without conditions, and runs it.
Ref<MemoryTable> groupedRows(const SelectPlan& plan, Context& context);

// Returns the column of an output expression without any group: of the type that it would have, where functions declare
// it or show it without rows.
Value columnWithoutGroups(const NodeRef& item, const TableSchema& columns, Context& context);

}  // namespace pelorus
