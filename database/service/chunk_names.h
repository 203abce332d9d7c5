// How administration functions name a partition of a table.
#pragma once

#include <cstdint>
#include <string>

namespace pelorus {

// Returns a UUID string, the same on every node that keeps a replica. `path` as in "/TAQ/20070801/A_D".
std::string chunkId(uint64_t table, const std::string& path);

// A short name of a table that a new table of the same name does not get: the last step of a chunk's path.
std::string physicalIndex(uint64_t table);

}  // namespace pelorus
