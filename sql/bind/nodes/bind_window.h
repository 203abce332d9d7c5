// Binding of context by.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"
#include "sql/plan/window_node.h"

namespace pelorus {

// Makes the node of context by. Throws UserError where the limit of each group is no integer.
PlanRef bindContext(const SelectPlan& plan, Context& context);

// Returns the limit or top of a query with context by.
int64_t groupLimit(const NodeRef& node, Context& context);
// Whether the rows come in the order of the table, not group by group.
bool keepsTableOrder(const Query& query);

}  // namespace pelorus
