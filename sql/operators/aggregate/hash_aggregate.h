// Rows to groups, under a grant of memory: the same to the bit whatever the grant and however many threads.
#pragma once

#include <vector>

#include "sql/operators/aggregate/partial_groups.h"
#include "sql/select.h"

namespace pelorus {

// Aggregates the rows of the plan's source that pass its conditions, of the partitions that this process stores.
PartialGroups groupsOf(const SelectPlan& plan, const AggregatePlan& aggregates, Context& context);

// A column for each key and then for each aggregate.
struct GroupsTable {
    Ref<MemoryTable> rows;
    bool isInKeyOrder = false;  // otherwise groups come in any order
};

// Returns the groups as a table. `inKeyOrder`: that order is wanted, and is used where it costs less than sorting all.
GroupsTable groupsTable(const SelectPlan& plan, const AggregatePlan& aggregates, bool inKeyOrder, Context& context);

// From what other nodes made of the partitions of the source, in their order.
GroupsTable groupsTable(const SelectPlan& plan, const AggregatePlan& aggregates, const std::vector<Value>& saved,
                        Context& context);

}  // namespace pelorus
