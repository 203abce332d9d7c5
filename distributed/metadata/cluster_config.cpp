#include "distributed/metadata/cluster_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/check.h"
#include "common/error.h"

namespace pelorus {

static constexpr const char* kStates[] = {"in", "out", "joining"};

std::string_view nameOf(NodeState state) {
    static constexpr std::string_view kNames[] = {"in sync", "out of sync", "joining"};
    return kNames[static_cast<size_t>(state)];
}

const NodeConfig* ClusterConfig::find(const std::string& alias) const {
    const auto it = std::find_if(nodes.begin(), nodes.end(), [&](const NodeConfig& n) { return n.alias == alias; });
    return it == nodes.end() ? nullptr : &*it;
}

NodeConfig* ClusterConfig::find(const std::string& alias) {
    return const_cast<NodeConfig*>(std::as_const(*this).find(alias));
}

bool ClusterConfig::isIn(const std::string& alias) const {
    const NodeConfig* node = find(alias);
    return node != nullptr && node->state == NodeState::In;
}

bool ClusterConfig::isInSince(const std::string& alias, uint64_t revision) const {
    const NodeConfig* node = find(alias);
    return node != nullptr && node->state == NodeState::In && node->since <= revision;
}

void ClusterConfig::enter(NodeConfig& node, NodeState state) {
    if (node.state == NodeState::In && state != NodeState::In) node.left = 0;
    if (state == NodeState::In) node.isLost = false;
    node.state = state;
    node.since = 0;
}

void ClusterConfig::lose(NodeConfig& node) {
    enter(node, NodeState::Out);
    node.isLost = true;
}

NodeConfig& ClusterConfig::started(const std::string& alias, const std::string& incarnation) {
    if (NodeConfig* known = find(alias)) {
        known->incarnation = incarnation;
        return *known;
    }
    uint64_t last = 0;
    for (const NodeConfig& node : nodes) last = std::max(last, node.number);
    return nodes.emplace_back(NodeConfig{alias, last + 1, incarnation, NodeState::In, 0, std::nullopt, false});
}

// Returns the value of the key. A revision of 0 is that of the write itself, which the writer could not know; "left" is
// absent for a node that never was out.
std::string ClusterConfig::encode() const {
    nlohmann::json list = nlohmann::json::array();
    for (const NodeConfig& node : nodes) {
        nlohmann::json entry = {{"alias", node.alias},
                                {"number", node.number},
                                {"incarnation", node.incarnation},
                                {"state", kStates[static_cast<size_t>(node.state)]},
                                {"since", node.since}};
        if (node.left) entry["left"] = *node.left;
        if (node.isLost) entry["lost"] = true;
        list.push_back(std::move(entry));
    }
    return nlohmann::json{{"nodes", list}}.dump();
}

ClusterConfig ClusterConfig::decode(const MetaEntry& entry) {
    ClusterConfig config;
    config.revision = entry.revision;
    try {
        const auto value = nlohmann::json::parse(entry.value);
        for (const auto& element : value.at("nodes")) {
            NodeConfig node;
            node.alias = element.at("alias").get<std::string>();
            node.number = element.at("number").get<uint64_t>();
            node.incarnation = element.at("incarnation").get<std::string>();
            const auto state =
                std::find(std::begin(kStates), std::end(kStates), element.at("state").get<std::string>());
            if (state == std::end(kStates)) throw SystemError("unknown state");
            node.state = static_cast<NodeState>(state - std::begin(kStates));
            node.since = element.at("since").get<uint64_t>();
            if (element.contains("left")) node.left = element.at("left").get<uint64_t>();
            node.isLost = element.value("lost", false);
            if (node.since == 0) node.since = entry.revision;
            if (node.left == 0u) node.left = entry.revision;
            config.nodes.push_back(std::move(node));
        }
    } catch (const std::exception& error) {
        throw SystemError(std::string("The metadata store's list of nodes does not read: ") + error.what() + ".",
                          "Another version of Pelorus may have written it; all nodes must have the same.");
    }
    return config;
}

ClusterConfig ClusterConfig::read(MetaStore& store) {
    const auto entry = store.get(kConfigKey);
    return entry ? decode(*entry) : ClusterConfig();
}

bool ClusterConfig::write(MetaStore& store, std::vector<MetaWrite> with) const {
    CHECK(!nodes.empty()) << "a cluster has nodes";
    with.push_back({kConfigKey, encode(), 0});
    return store.transact({{kConfigKey, revision}}, with).done;
}

}  // namespace pelorus
