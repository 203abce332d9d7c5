// cgroup by: groups in an order, each with all before it.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

Ref<MemoryTable> selectCumulative(const SelectPlan& plan, Context& context);

}  // namespace pelorus
