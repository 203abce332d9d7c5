// Names of a table's partitions in administration functions.
#pragma once

#include <cstdint>
#include <string>

namespace pelorus {

// Returns a UUID string, the same on every node that keeps a replica. `path` as in "/TAQ/20070801/A_D".
std::string chunkId(uint64_t table, const std::string& path);

// Returns a short name of a table that is unique over its life: the last step of a chunk's path.
std::string physicalIndex(uint64_t table);

}  // namespace pelorus
