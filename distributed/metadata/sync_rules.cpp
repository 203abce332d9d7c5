#include "distributed/metadata/sync_rules.h"

#include <algorithm>

#include "storage/log/stamp.h"

namespace pelorus {

bool mayWriteOut(const ClusterConfig& config, const std::string& self, const std::string& missed,
                 const std::set<std::string>& living, const std::set<std::string>& refused,
                 const std::set<std::string>& heard) {
    if (!config.isIn(self)) return false;
    size_t all = 0, hearing = 0;
    const NodeConfig* first = nullptr;
    bool isFirstHeard = false, isOtherRefused = false;
    for (const NodeConfig& node : config.nodes) {
        if (node.state != NodeState::In || (node.alias != self && living.count(node.alias) == 0)) continue;
        const bool isHeard = node.alias == self || (node.alias != missed && heard.count(node.alias) != 0);
        ++all;
        hearing += isHeard ? 1 : 0;
        isOtherRefused |= node.alias != self && refused.count(node.alias) != 0;
        if (first != nullptr && first->number <= node.number) continue;
        first = &node;
        isFirstHeard = isHeard;
    }
    if (all == 2 && isOtherRefused) return true;
    return hearing * 2 > all || (hearing * 2 == all && isFirstHeard);
}

Recovery recoveryOf(const ClusterConfig& config, const std::string& alias, const std::vector<std::string>& replicas) {
    const NodeConfig* own = config.find(alias);
    const bool isLost = own != nullptr && own->isLost;
    Recovery recovery = isLost ? Recovery::Await : Recovery::None;
    for (const std::string& other : replicas) {
        const NodeConfig* node = config.find(other);
        if (node == nullptr || node == own) continue;
        if (node->state == NodeState::In) return Recovery::Copy;
        const bool leftLater = node->left.value_or(0) > (own == nullptr ? 0 : own->left.value_or(0));
        if (leftLater) recovery = Recovery::Await;
    }
    return recovery;
}

bool mayReplace(uint64_t ownChange, uint64_t sourceChange, uint64_t sourceSince, uint64_t base) {
    return (ownChange >> stamp::kLowBits) <= std::max(sourceChange >> stamp::kLowBits, sourceSince + base);
}

}  // namespace pelorus
