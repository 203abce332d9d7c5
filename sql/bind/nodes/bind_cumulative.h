// Binding of cgroup by.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/group_nodes.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Makes the node of cgroup by. Throws UserError without order by.
PlanRef bindCumulative(const SelectPlan& plan, Context& context);

}  // namespace pelorus
