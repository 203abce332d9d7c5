// Decomposition of a query's aggregates: each is computed as states per group (runtime/kernel/aggregate/aggregate.h),
// and the expression around it, like the quotient in sum(a)/count(b), runs once over the groups.
#pragma once

#include <string>
#include <vector>

#include "runtime/registry/registry.h"
#include "sql/plan/output_item.h"

namespace pelorus {

struct AggregateCall {
    const BuiltinFunction* function;
    std::vector<ExpressionProgram> arguments;
    std::string column;  // the name of its results in the table of groups
};

struct AggregatePlan {
    std::vector<AggregateCall> calls;
    std::vector<NodeRef> items;  // the select list over keys and results
    NodeRef having;

    std::unique_ptr<GroupedState> newState(size_t call) const;
};

// Returns the type of a group by key; ANY where only the rows determine it.
Type keyType(const ExpressionProgram& key);
std::vector<Type> keyTypes(const std::vector<ExpressionProgram>& keys);

// Returns the columns of groups: their keys, then the results of the calls; VOID where only states tell the type.
TableSchema columnsOfGroups(const std::vector<BoundItem>& keys, const AggregatePlan& plan);

}  // namespace pelorus
