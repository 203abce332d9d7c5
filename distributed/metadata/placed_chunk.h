// Placement of a partition of a database in the cluster: all tables of the database share it.
#pragma once

#include <algorithm>
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
    std::string replaces;    // a replica that goes when this one comes; empty: none
};

struct PlacedChunk {
    std::string path;
    std::vector<int> index;             // position in the scheme
    std::vector<std::string> replicas;  // aliases, in order of preference
    std::vector<Learner> learners;
    std::vector<std::string> left;  // nodes that are to remove the copies that they had
    // By table, the routes of its chunks in folders of the versions before, which placed each table's chunk by itself:
    // a chunk with another route was dropped since.
    std::map<uint64_t, uint64_t> routes;
    uint64_t revision = 0;  // of the metadata store at which the place last changed
    // By alias, the revision at which a node became a replica, where this process has seen that: it has nothing to show
    // at older ones. Not stored.
    std::map<std::string, uint64_t> since;

    const Learner* learner(const std::string& alias) const {
        for (const Learner& learner : learners) {
            if (learner.alias == alias) return &learner;
        }
        return nullptr;
    }
    bool isReplica(const std::string& alias) const {
        return std::find(replicas.begin(), replicas.end(), alias) != replicas.end();
    }
    // Whether the node prepares what is written to the partition.
    bool prepares(const std::string& alias) const {
        const Learner* own = learner(alias);
        return isReplica(alias) || (own != nullptr && own->isJoining);
    }
    // Whether no other node has, or gets, what this one has.
    bool isAlone() const { return replicas.size() == 1 && learners.empty(); }
};
using PlacedChunks = std::shared_ptr<const std::vector<PlacedChunk>>;

}  // namespace pelorus
