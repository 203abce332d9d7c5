// Groups and the states of their aggregates, as the rows of a leaf, a partition or a whole table make them.
#pragma once

#include <memory>
#include <vector>

#include "runtime/kernel/aggregate/aggregate.h"
#include "sql/plan/aggregate_plan.h"

namespace pelorus {

struct PartialGroups {
    std::vector<Value> keys;  // one vector per key
    std::vector<std::unique_ptr<GroupedState>> states;
    int64_t groups = 0;
    // The keys came in ascending order: merging such groups one after the other needs few lookups, and no sort at the
    // end.
    bool ascending = false;

    int64_t memoryBytes() const;
};

// Serializes groups as a value, for another node or the disk.
Value saveGroups(const PartialGroups& groups);
// Throws UserError when a value from another node does not fit keys of these types and the aggregates.
PartialGroups loadGroups(const Value& saved, const std::vector<Type>& keyTypes, const AggregatePlan& aggregates);

// Concatenates groups that share no key.
PartialGroups concatenated(std::vector<PartialGroups> parts, const AggregatePlan& aggregates);

}  // namespace pelorus
