// Takes this node out of sync, by its own decision.
#pragma once

#include <string>

namespace pelorus {

class Cluster;
class ClusterMap;

// Writes this node out of sync, for the reason `why`, if each partition that it shares has another replica in sync:
// with a disk that fails or is slow it would stop every transaction of its partitions, which now go on at the others.
// Does nothing otherwise, or when the list of nodes has changed meanwhile. Throws SystemError when the metadata store
// does not answer.
void leaveSync(Cluster& cluster, const ClusterMap& map, const std::string& why);

}  // namespace pelorus
