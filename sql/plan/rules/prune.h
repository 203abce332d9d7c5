// Ranges that a condition implies for one column, and the partitions and blocks (by their bounds) that they prune.
#pragma once

#include <vector>

#include "runtime/table/table.h"
#include "sql/expression/constraint.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// Returns positions in `snapshot.partitions()` of those that may hold rows satisfying all constraints.
std::vector<size_t> prunePartitions(const PartitionedTable& table, const TableSnapshot& snapshot,
                                    const std::vector<ColumnConstraint>& constraints);

// Returns those of a source that the query reads, in the order in which they are read.
std::vector<size_t> partitionsToRead(const RowSource& source, const std::vector<ColumnConstraint>& constraints);

}  // namespace pelorus
