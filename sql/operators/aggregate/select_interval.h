// group by … interval(X, duration, fill, …): windows without gaps, and the filling of those without rows.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

Ref<MemoryTable> selectInterval(const SelectPlan& plan, Context& context);

}  // namespace pelorus
