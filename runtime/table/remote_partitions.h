// Snapshot whose partitions other nodes keep, several of them each one: who reads it asks where to, and asks again when
// a node is lost.
#pragma once

#include <string>
#include <vector>

namespace pelorus {

class RemotePartitions {
public:
    virtual ~RemotePartitions() = default;
    // Returns for each of these partitions, by position, the node that serves it at this snapshot: an alias, empty for
    // this process. Opens the snapshot there. Throws SystemError (retryable) when no replica of one can.
    virtual std::vector<std::string> openNodes(const std::vector<size_t>& partitions) = 0;
    // Returns those of these partitions that have rows, or whose nodes are all away, in their order; opens as openNodes
    // does.
    virtual std::vector<size_t> withRows(const std::vector<size_t>& partitions) = 0;
    // Returns the nodes that keep a partition, in order of preference, and those that get a copy of it.
    struct Replicas {
        std::vector<std::string> nodes, learners;
    };
    virtual Replicas replicasOf(size_t partition) const = 0;
    // Returns whether others can take over all these partitions from the node.
    virtual bool hasOthers(const std::vector<size_t>& partitions, const std::string& node) const = 0;
    // The node does not answer any more, as `why` says: later calls name others.
    virtual void lose(const std::string& node, const std::string& why) = 0;
};

class TableSnapshot;

// Returns the positions of the snapshot's partitions that have rows, in their order; those whose nodes are away count.
std::vector<size_t> partitionsWithRows(TableSnapshot& snapshot);

}  // namespace pelorus
