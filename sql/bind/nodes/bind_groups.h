// Binding of group by, and of aggregates over all rows.
#pragma once

#include <optional>

#include "runtime/function/context.h"
#include "sql/plan/group_nodes.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Makes an Aggregate of the clauses; null where one of their functions needs whole groups of rows.
std::unique_ptr<AggregateNode> bindAggregate(const SelectPlan& plan, Context& context);
// Makes a WholeGroups of them.
PlanRef bindWholeGroups(const SelectPlan& plan, Context& context);
// Makes the node of group by: an Aggregate, or WholeGroups.
PlanRef bindGroups(const SelectPlan& plan, Context& context);

// Returns the keys and the aggregates of the clauses as states; nothing where they need whole groups of rows.
struct BoundStates {
    std::vector<BoundItem> keys;
    AggregatePlan aggregates;
};
std::optional<BoundStates> bindStates(const SelectPlan& plan, Context& context);

}  // namespace pelorus
