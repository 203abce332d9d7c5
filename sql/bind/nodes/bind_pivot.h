// Binding of pivot by.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/group_nodes.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Makes the node of pivot by over its cells, which are groups where that holds fewer rows. Throws UserError for clauses
// that do not go with pivot by.
PlanRef bindPivot(const SelectPlan& plan, Context& context);

}  // namespace pelorus
