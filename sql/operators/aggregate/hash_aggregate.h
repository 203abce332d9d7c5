// Hash aggregation under a memory grant: the result is the same to the bit for any grant and number of threads.
#pragma once

#include <vector>

#include "runtime/function/context.h"
#include "sql/operators/aggregate/partial_groups.h"
#include "sql/plan/aggregate_plan.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Aggregates the rows of the plan's source that pass its conditions, of the partitions that this process stores.
PartialGroups groupsOf(const SelectPlan& plan, const AggregatePlan& aggregates, Context& context);

// Table with a column for each key and then for each aggregate.
struct GroupsTable {
    Ref<MemoryTable> rows;
    bool isInKeyOrder = false;  // otherwise groups come in any order
};

// Returns the groups as a table. `inKeyOrder`: that order is wanted, and is used where it costs less than sorting all.
GroupsTable groupsTable(const SelectPlan& plan, const AggregatePlan& aggregates, bool inKeyOrder, Context& context);

// Merges the results of other nodes for the partitions of the source, in their order.
GroupsTable groupsTable(const SelectPlan& plan, const AggregatePlan& aggregates, const std::vector<Value>& saved,
                        Context& context);

}  // namespace pelorus
