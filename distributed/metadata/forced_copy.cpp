#include "distributed/metadata/forced_copy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "common/error.h"
#include "distributed/metadata/chunk_keys.h"
#include "distributed/metadata/cluster_config.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/cluster_keys.h"
#include "distributed/metadata/folder_standing.h"
#include "distributed/metadata/sync_rules.h"
#include "storage/folder/local_storage.h"

namespace pelorus {

namespace {

// The partitions of a node that no node in sync keeps.
struct Undecided {
    std::vector<std::string> shared;  // partitions that others keep, too, but may lack rows of
    std::vector<std::string> alone;   // partitions that nobody else keeps, and the folder may lack
    std::set<std::string> others;     // the nodes that keep the shared ones
};

// Returns the configuration without the nodes in sync that do not run: people say that these have gone.
ClusterConfig withoutDead(ClusterConfig config, MetaStore& store, const std::string& self) {
    for (NodeConfig& node : config.nodes) {
        if (node.alias == self || node.state == NodeState::Out || store.get("alive/" + node.alias)) continue;
        if (node.state == NodeState::In) node.left = config.revision;
        node.state = NodeState::Out;
        node.since = 0;
    }
    return config;
}

Undecided undecidedOf(MetaStore& store, const ClusterConfig& asLiving, const NodeConfig& node, bool isLost) {
    Undecided undecided;
    for (const PlacedChunk& place : placesOfNode(store, node.alias)) {
        if (place.replicas.size() == 1) {
            if (isLost) undecided.alone.push_back(place.path);
            continue;
        }
        const bool isComplete = node.state == NodeState::In && !isLost;
        if (isComplete || recoveryOf(asLiving, node.alias, place.replicas) != Recovery::Await) continue;
        undecided.shared.push_back(place.path);
        undecided.others.insert(place.replicas.begin(), place.replicas.end());
    }
    undecided.others.erase(node.alias);
    return undecided;
}

std::string report(const std::string& folder, const std::string& alias, const Undecided& undecided) {
    std::string string = fmt::format("What the folder {} of {} has counts from now on.\n", folder, alias);
    if (!undecided.shared.empty())
        string += fmt::format("Of {} ({} partitions) it has the copy that counts; what {} had and it lacks is lost.\n",
                              firstOf(undecided.shared), undecided.shared.size(), fmt::join(undecided.others, ", "));
    if (!undecided.alone.empty())
        string += fmt::format("Of {} ({} partitions) no other node has a copy: what this folder lacks is lost.\n",
                              firstOf(undecided.alone), undecided.alone.size());
    return string + "Start the node.";
}

}  // namespace

std::string forceFolder(LocalStorage& storage, MetaStore& store, const std::string& alias) {
    const std::optional<FolderIdentity> own = readIdentity(storage.folder());
    const std::optional<MetaEntry> theirs = store.get(kClusterIdKey);
    if (!theirs || (own && ClusterFormat::decode(theirs->value).id != own->cluster))
        throw UserError("The folder " + storage.folder() + " and the metadata store are not of one cluster.",
                        "Nothing was changed. To give the folder to that cluster: pelorus cluster adopt.");
    for (;;) {
        ClusterConfig config = ClusterConfig::read(store);
        NodeConfig* node = config.find(alias);
        if (node == nullptr)
            throw UserError("The cluster has no node " + alias + ".",
                            "Nothing was changed. Check alias and clusterName.");
        const Standing standing = standingIn(proofOf(storage, own), store, alias);
        if (standing == Standing::StoreIsOlder)
            throw UserError("The metadata store went back in time.",
                            "Nothing was changed. Bring it back from a newer copy, or: pelorus cluster adopt.");
        const ClusterConfig asLiving = withoutDead(config, store, alias);
        const Undecided undecided = undecidedOf(store, asLiving, *node, standing == Standing::Lost || node->isLost);
        if (undecided.shared.empty() && undecided.alone.empty())
            throw UserError("Nothing is to be decided for the node " + alias +
                                ": what it lacks is copied from nodes that are in sync.",
                            "Nothing was changed. Start it.");
        // The dead nodes that the list calls in sync leave before this node.
        for (const std::string& other : undecided.others) {
            if (NodeConfig* known = config.find(other)) *known = *asLiving.find(other);
        }
        ClusterConfig::enter(*node, NodeState::Out);
        node->left = 0;  // by this write
        node->isLost = false;
        writeIdentity(storage.folder(), {ClusterFormat::decode(theirs->value).id, store.range(kClusterIdKey).revision,
                                         own && !own->folder.empty() ? own->folder : newRandomId(), 0});
        if (config.write(store, {folderNote(storage, alias)})) return report(storage.folder(), alias, undecided);
    }
}

}  // namespace pelorus
