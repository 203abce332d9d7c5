// Binding of f(…) over (…), over rows and over the groups of a query with group by.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"
#include "sql/plan/window_node.h"

namespace pelorus {

// Makes the node of a select with window functions, whose input are the rows, or the groups that group by makes. Throws
// UserError with other groups, and where a window's partition or order is not a key of the groups.
PlanRef bindOver(const SelectPlan& plan, Context& context);

}  // namespace pelorus
