// select roll(X, step, …), … context by: one row per window of a group, where windows step by time, rows or volume.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

Ref<MemoryTable> selectRoll(const SelectPlan& plan, Context& context);

}  // namespace pelorus
