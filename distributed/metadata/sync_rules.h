// The rules of the states of nodes, as functions without side effects: who may write another node out of sync, and what
// a node that is out of sync lacks.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "distributed/metadata/cluster_config.h"

namespace pelorus {

// Returns whether the node `self` may write `missed` out of sync: it is in sync itself, and it hears, itself included,
// more than half of the nodes that are in sync and alive; with just half, the side of the node with the smallest number
// may. So at most one side of a network partition goes on, and a node that hears nobody does nothing. `refused`: nodes
// whose process is known to be gone; of two nodes the other one goes on at once.
bool mayWriteOut(const ClusterConfig& config, const std::string& self, const std::string& missed,
                 const std::set<std::string>& living, const std::set<std::string>& refused,
                 const std::set<std::string>& heard);

// The way in which a node that is not in sync completes one of its partitions.
enum class Recovery {
    None,   // the node has all rows of the chunk: nobody else could have changed it, or nobody did after it had left
    Copy,   // another replica in sync has them
    Await,  // a replica that left later has them, and is not back; or this node's folder was lost, and nobody is in
            // sync
};
// Returns what a node that is not in sync needs for a chunk with these replicas, of which it is one. Of replicas that
// are all out the one that left last has everything, since no transaction is decided without one in sync; when its
// folder was lost, the others wait until people decide (`pelorus cluster force`).
Recovery recoveryOf(const ClusterConfig& config, const std::string& alias, const std::vector<std::string>& replicas);

// Returns whether a copy of a partition may replace what is stored here: nothing has changed here since the last change
// at the source, or since the revision `sourceSince` at which the source was complete. Changes are commit timestamps in
// the same snapshot, 0 when none is known; only their revisions are compared, for the low bits each node counts itself.
bool mayReplace(uint64_t ownChange, uint64_t sourceChange, uint64_t sourceSince, uint64_t base);

}  // namespace pelorus
