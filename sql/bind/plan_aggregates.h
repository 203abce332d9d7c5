// Binding of aggregates to their states.
#pragma once

#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/aggregate_plan.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Returns false when an expression cannot be computed from states: a user's aggregate, an aggregate of whole vectors,
// an argument that is not elementwise.
bool planAggregates(const std::vector<NodeRef>& items, const NodeRef& having, const TableSchema& columns,
                    const std::vector<std::string>& keyNames, const std::vector<NodeRef>& keys, Context& context,
                    AggregatePlan& plan);

// Plans the aggregates of a grouped select as states; false when they need whole groups of rows.
bool planGroups(const SelectPlan& plan, Context& context, AggregatePlan& aggregates);

}  // namespace pelorus
