// States that hold the items of their groups, where others hold a few numbers: of medians and distinct counts.
//
// Merged into itself, such a state takes what was there before: running along the groups of a query, each with all that
// came before it, needs another way, and would hold every item once for each group behind it.
#pragma once

#include "runtime/kernel/aggregate/aggregate.h"

namespace pelorus {

class ItemState : public GroupedState {};

}  // namespace pelorus
