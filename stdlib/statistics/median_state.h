// The medians of groups: med over groups, partitions and nodes.
#pragma once

#include <memory>
#include <span>

#include "runtime/kernel/aggregate/aggregate.h"

namespace pelorus {

// Skips NULLs; the median of a group without values is NULL. Exact, whatever the order of the rows and their division
// into blocks. Memory: 12 bytes for each value, and as much again while the results are computed.
std::unique_ptr<GroupedState> makeMedian(std::span<const Type> types);

}  // namespace pelorus
