// Placement of a partition of a database in the cluster: all tables of the database share it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pelorus {

// A node that becomes a replica of a partition.
struct Learner {
    std::string alias;
    bool isJoining = false;  // from the revision of the place on every decision has its prepare; before that none
};

struct PlacedChunk {
    std::string path;
    std::vector<int> index;             // position in the scheme
    std::vector<std::string> replicas;  // aliases, in order of preference
    std::vector<Learner> learners;
    // By table, the routes of its chunks in folders of the versions before, which placed each table's chunk by itself: a
    // chunk with another route was dropped since.
    std::map<uint64_t, uint64_t> routes;
    uint64_t revision = 0;  // of the metadata store at which the place last changed
};
using PlacedChunks = std::shared_ptr<const std::vector<PlacedChunk>>;

}  // namespace pelorus
