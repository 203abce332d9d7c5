// Group by with more groups than memory holds: the rows go to disk, cut by a hash of their keys, and are grouped part
// by part.
#pragma once

#include <functional>
#include <vector>

#include "sql/select.h"

namespace pelorus {

// Whether the keys have a hash and the columns that the groups read can be set aside.
bool canSpillGroups(const SelectPlan& plan, const AggregatePlan& aggregates);

// Sets the rows that pass the filter aside and calls f for each part of them: all rows of a group are in one part, and
// in the order, the blocks' runs and the partitions in which they were read, so that its states come out the same.
// REQUIRES: canSpillGroups, and spillFolderOf the context.
void forEachSpilledPart(const SelectPlan& plan, const AggregatePlan& aggregates, const std::vector<Morsel>& morsels,
                        Filter& filter, Context& context, const std::function<void(const std::vector<Morsel>&)>& f);

}  // namespace pelorus
