// How many different items each group has: nunique over groups, partitions and nodes.
#pragma once

#include <memory>
#include <span>

#include "runtime/kernel/aggregate/aggregate.h"

namespace pelorus {

// NULL counts as an item. Exact, whatever the order and the cut of the rows. Memory: 16 bytes for each item of a group
// and half as much again, and the texts once; up to four times that while there are many, and 64 MB.
std::unique_ptr<GroupedState> makeDistinctCount(std::span<const Type> types);

}  // namespace pelorus
