// Top-N per group: context by … csort … limit.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Only these rows are sorted, and the select list computed for them. REQUIRES: csort's expressions depend on one row
// only. Null where the select list, or having, reads other rows of a group, too. `limit` below zero means the last
// ones.
Ref<MemoryTable> firstOfGroups(const SelectPlan& plan, const MemoryTable& rows, int64_t limit, Context& context);

}  // namespace pelorus
