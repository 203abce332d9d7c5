// Rules of the states of nodes: who may change them, and what a node lacks that is out of sync.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "distributed/metadata/cluster_config.h"

namespace pelorus {

// Whether the node `self` may write `missed` out of sync: it is in sync itself, and of the others that are, and that
// live, it has heard at least half. One that hears nobody is more likely cut off than alone.
bool mayWriteOut(const ClusterConfig& config, const std::string& self, const std::string& missed,
                 const std::set<std::string>& living, const std::set<std::string>& heard);

enum class Recovery {
    None,   // the node has all rows of the chunk: nobody else could have changed it, or nobody did after it had left
    Copy,   // another replica in sync has them
    Await,  // a replica that left later has them, and is not back
};
// Returns what a node that is not in sync needs for a chunk with these replicas, of which it is one. Of replicas that
// are all out the one that left last has everything, since no transaction is decided without one in sync.
Recovery recoveryOf(const ClusterConfig& config, const std::string& alias, const std::vector<std::string>& replicas);

}  // namespace pelorus
