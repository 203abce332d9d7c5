// Rows to groups, under a grant of memory: the same to the bit whatever the grant and however many threads.
#pragma once

#include <vector>

#include "sql/operators/aggregate/partial_groups.h"
#include "sql/select.h"

namespace pelorus {

// The groups that the rows of the plan's source make which pass its conditions, of the partitions that lie in this
// process.
PartialGroups groupsOf(const SelectPlan& plan, const AggregatePlan& aggregates, Context& context);

// The same as a table with a column for each key and then for each aggregate, groups in any order.
Ref<MemoryTable> groupsTable(const SelectPlan& plan, const AggregatePlan& aggregates, Context& context);

// From what other nodes made of the partitions of the source, in their order.
Ref<MemoryTable> groupsTable(const SelectPlan& plan, const AggregatePlan& aggregates, const std::vector<Value>& saved,
                             Context& context);

}  // namespace pelorus
