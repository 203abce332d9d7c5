// Advice of explain on partitions that are too small or too large to be read well.
#pragma once

#include <string>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

// Returns one sentence, or none, about the chosen partitions of a table that this process keeps.
std::string partitionAdvice(const PartitionedTable& table, const TableSnapshot& snapshot,
                            const std::vector<size_t>& chosen);

// Returns the advice for partitions of these sizes, in bytes of uncompressed rows.
std::string partitionAdvice(const std::vector<int64_t>& sizes, int64_t memoryBytes, int workers);

}  // namespace pelorus
