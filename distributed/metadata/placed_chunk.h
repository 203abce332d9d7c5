// Placement of a chunk of a table in the cluster.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pelorus {

struct PlacedChunk {
    std::string path;
    std::vector<int> index;             // position in the scheme
    std::vector<std::string> replicas;  // aliases, in order of preference
    uint64_t route = 0;                 // revision of the metadata store at which the chunk was placed
};
using PlacedChunks = std::shared_ptr<const std::vector<PlacedChunk>>;

}  // namespace pelorus
