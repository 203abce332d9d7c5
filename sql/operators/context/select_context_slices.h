// context by over slices of rows that are stored group by group.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// context by with the rows of all groups concatenated once, and the select list of each group computed on slices of
// them. Null when a result is anything else than one column of one type.
Ref<MemoryTable> selectContextBySlices(const SelectPlan& plan, const Ref<MemoryTable>& rows, Context& context);

}  // namespace pelorus
