#include "distributed/metadata/sync_rules.h"

#include <algorithm>

namespace pelorus {

bool mayWriteOut(const ClusterConfig& config, const std::string& self, const std::string& missed,
                 const std::set<std::string>& living, const std::set<std::string>& heard) {
    if (!config.isIn(self)) return false;
    size_t others = 0, answering = 0;
    for (const NodeConfig& node : config.nodes) {
        if (node.alias == self || node.alias == missed || node.state != NodeState::In) continue;
        if (living.count(node.alias) == 0) continue;
        ++others;
        answering += heard.count(node.alias);
    }
    return answering * 2 >= others;
}

Recovery recoveryOf(const ClusterConfig& config, const std::string& alias, const std::vector<std::string>& replicas) {
    const NodeConfig* own = config.find(alias);
    Recovery recovery = Recovery::None;
    for (const std::string& other : replicas) {
        const NodeConfig* node = config.find(other);
        if (node == nullptr || node == own) continue;
        if (node->state == NodeState::In) return Recovery::Copy;
        const bool leftLater = node->left.value_or(0) > (own == nullptr ? 0 : own->left.value_or(0));
        if (leftLater) recovery = Recovery::Await;
    }
    return recovery;
}

}  // namespace pelorus
