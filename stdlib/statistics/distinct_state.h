// The number of distinct values of each group: nunique over groups, partitions and nodes.
#pragma once

#include <memory>
#include <span>

#include "runtime/kernel/aggregate/aggregate.h"

namespace pelorus {

// NULL counts as a value. Exact, whatever the order of the rows and their division into blocks. Memory: 16 bytes for
// each distinct value of a group and half as much again, and each string once; up to four times that while there are
// many, and 64 MB.
std::unique_ptr<GroupedState> makeDistinctCount(std::span<const Type> types);

}  // namespace pelorus
