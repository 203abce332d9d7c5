// Aggregates of a script that mapr declares: their map parts run per partition, their reduce part on the results.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Returns the result of a grouped select, or null where that is not possible: the table is not partitioned or is stored
// on other nodes, an aggregate cannot be decomposed, or reduce is no function.
Ref<MemoryTable> selectMapReduce(const SelectPlan& plan, Context& context);

}  // namespace pelorus
