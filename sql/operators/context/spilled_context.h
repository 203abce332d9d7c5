// context by of tables on disk whose rows exceed memory: they are spilled, partitioned by a hash of the keys, and the
// groups are computed one hash partition at a time.
#pragma once

#include <functional>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/bind/nodes/bind_window.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Returns the same as `select` of the plan; nullptr when the rows fit in memory or are there already, or cannot be
// spilled.
Ref<MemoryTable> selectContextInParts(const SelectPlan& plan, Context& context,
                                      const std::function<Ref<MemoryTable>(const SelectPlan&, Context&)>& select);

}  // namespace pelorus
