// States that hold the values of their groups, as medians and distinct counts do, where others hold a few numbers.
//
// Merging such a state into itself takes only the values from before the merge: a running aggregate over the groups of
// a query, each with all groups before it, needs another way, and would hold every value once per later group.
#pragma once

#include "runtime/kernel/aggregate/aggregate.h"

namespace pelorus {

class ValueState : public GroupedState {};

}  // namespace pelorus
