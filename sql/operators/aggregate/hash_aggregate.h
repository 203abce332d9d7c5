// Hash aggregation under a memory grant: the result is the same to the bit for any grant and number of threads.
#pragma once

#include <vector>

#include "runtime/function/context.h"
#include "sql/operators/aggregate/partial_groups.h"
#include "sql/plan/aggregate_plan.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// Rows to aggregate: those of a source that pass conditions, by keys that are bound over its columns.
struct RowsToGroup {
    const RowSource& source;
    const NodeList& conditions;
    const std::vector<BoundItem>& keys;
    const AggregatePlan& aggregates;
};

// Aggregates the rows of the partitions that this process stores.
PartialGroups groupsOf(const RowsToGroup& rows, Context& context);

// Table with a column for each key and then for each aggregate.
struct GroupsTable {
    Ref<MemoryTable> rows;
    bool isInKeyOrder = false;  // otherwise groups come in any order
};

// Returns the groups as a table. `inKeyOrder`: that order is wanted, and is used where it costs less than sorting all.
GroupsTable groupsTable(const RowsToGroup& rows, bool inKeyOrder, Context& context);

// Merges the results of other nodes for the partitions of the source, in their order.
GroupsTable groupsTable(const RowsToGroup& rows, const std::vector<Value>& saved, Context& context);

}  // namespace pelorus
