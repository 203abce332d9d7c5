// Window functions in a query with group by: computed over the groups.
#pragma once

#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Such a query split into two: one that makes the groups, and one without groups that computes the windows over them.
// Neither has a table yet.
struct GroupedWindows {
    Ref<Query> groups;
    Ref<Query> windows;
    std::vector<std::string> places;  // columns of the groups that replace an expression with windows
};

// Throws UserError where a window's partition or order is not a key of the groups.
GroupedWindows splitGroupedWindows(const SelectPlan& plan);

// Makes the second query show the columns of the groups, in their order, and the windows at their places.
void showGroups(GroupedWindows& parts, const MemoryTable& groups);

}  // namespace pelorus
