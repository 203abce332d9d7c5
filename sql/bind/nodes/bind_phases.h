// Binding of statements that run partition by partition: aggregates of scripts that mapr declares, whose map parts run
// per partition and whose reduce part over their results; and of select … map.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/partition_nodes.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Makes a Phases of the clauses, where `whole` computes the same over all rows; returns that where phases are not
// possible: the table is not partitioned or is stored on other nodes, an aggregate cannot be decomposed, or reduce is
// no function.
PlanRef bindPhases(const SelectPlan& plan, PlanRef whole, Context& context);

// Makes the node of group by: an Aggregate, else Phases, else WholeGroups.
PlanRef bindGroupsInPhases(const SelectPlan& plan, Context& context);

// Makes the plan of a query over a source instead of what its `from` says. REQUIRES: it holds no inner queries.
PlanRef bindOver(const Query& query, RowSource source, Context& context);

}  // namespace pelorus
