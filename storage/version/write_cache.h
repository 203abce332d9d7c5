// The write cache of a chunk: runs of committed rows that are not in column files yet.
#pragma once

#include "storage/version/version_set.h"

namespace pelorus {

// Appends committed rows to a version's parts, and returns how many bytes they take. Runs of similar size at the end
// are merged, so that n small commits leave at most log n runs, and each row is copied at most log n times. Runs stop
// growing at a block's size. Runs with different columns, such as those from before a change of the table, are not
// merged.
int64_t appendToWriteCache(ChunkVersion& version, Ref<MemoryTable> rows);

// Returns whether names, types and scales are the same.
bool sameColumns(const TableSchema& a, const TableSchema& b);

}  // namespace pelorus
