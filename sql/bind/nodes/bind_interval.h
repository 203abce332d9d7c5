// Binding of group by with an interval.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/group_nodes.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Makes the node of group by. REQUIRES: one of the keys is an interval.
PlanRef bindInterval(const SelectPlan& plan, Context& context);

}  // namespace pelorus
