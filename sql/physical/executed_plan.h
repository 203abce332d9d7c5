// A plan that ran, with what its nodes took.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/physical/pipelines.h"
#include "sql/plan/node.h"

namespace pelorus {

// Runs the plan of a query and measures its nodes: adds the plan to the open step of the trace, and steps for what it
// reads, filters and computes. REQUIRES: QueryTrace::isOn().
SelectedRows runTraced(PlanRef plan, const Query& query, Context& context);

}  // namespace pelorus
