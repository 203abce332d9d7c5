// Write cache of a chunk: runs of committed rows that are not in column files yet.
#pragma once

#include "storage/version/version_set.h"

namespace pelorus {

// Appends committed rows to a version's parts. Runs of like size at the end are merged, so that n small commits leave
// at most log n runs, and each row is copied at most log n times. Runs stop growing at a block's size. Runs of other
// columns, as before a change of the table, are not merged. Returns how many bytes the rows take.
int64_t appendToWriteCache(ChunkVersion& version, Ref<MemoryTable> rows);

// Whether names, types and scales are the same.
bool sameColumns(const TableSchema& a, const TableSchema& b);

}  // namespace pelorus
