// How a node leaves those that are in sync.
#pragma once

#include <string>

namespace pelorus {

class Cluster;
class ClusterMap;

// Writes this node out of sync, when others have its chunks, too: a node whose disk takes nothing would end every
// transaction of its chunks, and those go on at the others. Throws SystemError when the metadata store does not answer.
void leaveSync(Cluster& cluster, const ClusterMap& map, const std::string& why);

}  // namespace pelorus
