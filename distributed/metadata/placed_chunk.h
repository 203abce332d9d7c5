// The placement of a partition in the cluster: which nodes keep it. All tables of the database share it.
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

// The place of a partition, as the metadata store had it at `revision`. A plain value.
struct PlacedChunk {
    std::string path;                   // path in the database
    std::vector<int> index;             // position in the scheme
    std::vector<std::string> replicas;  // aliases, in order of preference
    std::vector<Learner> learners;
    std::vector<std::string> left;  // nodes that are to remove the copies that they had
    // Routes of the chunks in folders of older versions, which placed the chunks of each table separately, by table: a
    // chunk with another route was dropped since.
    std::map<uint64_t, uint64_t> routes;
    uint64_t revision = 0;  // revision of the metadata store at which the place last changed
    // Revisions at which nodes became replicas, by alias, where this process has seen that: such a node has nothing to
    // show at older ones. Not stored.
    std::map<std::string, uint64_t> since;

    // Returns the learner of that name, or nullptr.
    const Learner* learner(const std::string& alias) const {
        for (const Learner& learner : learners) {
            if (learner.alias == alias) return &learner;
        }
        return nullptr;
    }
    bool isReplica(const std::string& alias) const {
        return std::find(replicas.begin(), replicas.end(), alias) != replicas.end();
    }
    // Returns whether the node prepares what is written to the partition: replicas and joining learners do.
    bool prepares(const std::string& alias) const {
        const Learner* own = learner(alias);
        return isReplica(alias) || (own != nullptr && own->isJoining);
    }
    // Returns whether one node keeps the partition, and no other is to get a copy.
    bool isAlone() const { return replicas.size() == 1 && learners.empty(); }
};
using PlacedChunks = std::shared_ptr<const std::vector<PlacedChunk>>;

}  // namespace pelorus
