// Binding of context by.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"
#include "sql/plan/window_node.h"

namespace pelorus {

// Makes the node of context by. Throws UserError where the limit of each group is no integer.
PlanRef bindContext(const SelectPlan& plan, Context& context);

// Makes the node of context by whose select list begins with roll. Throws UserError for clauses that choose among rows.
PlanRef bindRoll(const SelectPlan& plan, Context& context);

}  // namespace pelorus
