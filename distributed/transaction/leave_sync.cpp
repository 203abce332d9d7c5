#include "distributed/transaction/leave_sync.h"

#include "common/log.h"
#include "distributed/cluster/cluster.h"
#include "distributed/metadata/cluster_map.h"

namespace pelorus {

void leaveSync(Cluster& cluster, const ClusterMap& map, const std::string& why) {
    if (!map.othersHave(cluster.self().alias)) return;
    ClusterConfig config = *map.config();
    for (NodeConfig& node : config.nodes) {
        if (node.alias != cluster.self().alias || node.state == NodeState::Out) continue;
        ClusterConfig::enter(node, NodeState::Out);
        if (config.write(cluster.store())) logWarning("cluster", "this node is out of sync", {{"why", why}});
    }
}

}  // namespace pelorus
