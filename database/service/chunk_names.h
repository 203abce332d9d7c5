// Names a table's partitions for administration functions. The functions are pure.
#pragma once

#include <cstdint>
#include <string>

namespace pelorus {

// Returns an id in the form of a UUID, the same on every node that keeps a replica. `path` is that of the partition,
// for example "/TAQ/20070801/A_D".
std::string chunkId(uint64_t table, const std::string& path);

// Returns a short name of a table, which no other table ever gets: the last step of a chunk's path.
std::string physicalIndex(uint64_t table);

}  // namespace pelorus
