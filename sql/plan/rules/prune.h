// Ranges that a condition implies for one column, and the partitions and blocks (by their bounds) that they prune.
#pragma once

#include <vector>

#include "runtime/table/table.h"
#include "sql/expression/constraint.h"

namespace pelorus {

// Returns positions in `snapshot.partitions()` of those that may hold rows satisfying all constraints.
std::vector<size_t> prunePartitions(const PartitionedTable& table, const TableSnapshot& snapshot,
                                    const std::vector<ColumnConstraint>& constraints);

}  // namespace pelorus
