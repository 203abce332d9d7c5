// Copies of partitions from another node.
#pragma once

#include <cstdint>

#include "distributed/metadata/placed_chunk.h"

namespace pelorus {

struct ClusterParts;

// Replaces what this node has of a table's partition by what a replica in sync has at the newest revision; what is
// decided later is installed behind it. Throws SystemError when there is no such replica.
void copyChunk(ClusterParts& parts, uint64_t table, const PlacedChunk& chunk);

}  // namespace pelorus
