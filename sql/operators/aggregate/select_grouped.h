// group by, and aggregates over all rows.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "sql/plan/aggregate_plan.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Returns the result's rows before order by and limit. When the source is partitioned over nodes, partial queries run
// where the partitions are stored. `keysLast`: groups need not come in the order of their keys, because the caller
// sorts the rows; the keys then are in further columns, lastOrderColumn(0) and on, and break ties between rows.
Ref<MemoryTable> aggregatedRows(const SelectPlan& plan, const AggregatePlan& aggregates, bool keysLast,
                                Context& context);
// Computes select lists with functions of all rows of a group.
Ref<MemoryTable> rowsOfWholeGroups(const SelectPlan& plan, Context& context);
// Returns the column of an output expression without any group: of the type that it would have, where functions declare
// it or show it without rows.
Value columnWithoutGroups(const NodeRef& item, const TableSchema& columns, Context& context);
// Runs the one of the two that suits the plan. REQUIRES: no aggregate of a script is declared in parts, or the source
// has no partitions.
Ref<MemoryTable> selectGrouped(const SelectPlan& plan, Context& context);

}  // namespace pelorus
