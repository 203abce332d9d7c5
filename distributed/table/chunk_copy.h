// Copies of partitions from another node.
#pragma once

#include <cstdint>

#include "distributed/metadata/placed_chunk.h"

namespace pelorus {

struct ClusterParts;

// Replaces what this node has of a table's partition by what a replica in sync has at the newest revision; what is
// decided later is installed behind it. Rows that were changed here after the source's last change go to quarantine
// first, where the source is complete nevertheless. Throws SystemError when there is no such replica, or when none is
// complete that has what this one has: nothing is replaced then.
void copyChunk(ClusterParts& parts, uint64_t table, const PlacedChunk& chunk);

}  // namespace pelorus
