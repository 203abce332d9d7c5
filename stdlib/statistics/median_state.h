// The medians of groups: med over groups, partitions and nodes.
#pragma once

#include <memory>
#include <span>

#include "runtime/kernel/aggregate/aggregate.h"

namespace pelorus {

// NULLs are skipped; a group without items gives NULL. Exact, whatever the order and the cut of the rows. Memory: 12
// bytes for each item, and as much again while the results are made.
std::unique_ptr<GroupedState> makeMedian(std::span<const Type> types);

}  // namespace pelorus
