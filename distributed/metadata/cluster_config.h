// The list of the cluster's nodes and of which are in sync: the value of the key `config`, which every decision of a
// transaction compares.
//
// A node that is `In` has, or will install, every transaction that was decided for its partitions. One that is `Out`
// may lack some: it serves and takes nothing of partitions that have another replica. One that is `Joining` prepares
// new transactions, and copies what it lacks. Every change of a state is a compare-and-swap of the key, whose revisions
// order all departures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/meta_store.h"

namespace pelorus {

// In the metadata store: never change.
inline constexpr const char* kConfigKey = "config";

enum class NodeState { In, Out, Joining };

// Returns the state's name for messages, such as "in sync".
std::string_view nameOf(NodeState state);

// A node in the list.
struct NodeConfig {
    std::string alias;
    uint64_t number = 0;      // unique among all nodes that ever were, from 1
    std::string incarnation;  // name of the process that may decide (Cluster::incarnation)
    NodeState state = NodeState::In;
    uint64_t since = 0;            // revision at which the state was entered
    std::optional<uint64_t> left;  // revision at which it last left `In`
    bool isLost = false;           // its folder lacks what it had until it left: it is complete only by copies
};

// A version of the list of nodes. A plain value: a change is made in a copy, which `write` puts in the place of the one
// that was read. Not thread-safe; what ClusterMap shares is const.
class ClusterConfig {
public:
    uint64_t revision = 0;  // revision of the key; 0: it does not exist yet
    std::vector<NodeConfig> nodes;

    // Returns the node of that name, or nullptr; valid until `nodes` changes.
    const NodeConfig* find(const std::string& alias) const;
    NodeConfig* find(const std::string& alias);
    bool isIn(const std::string& alias) const;
    // Returns whether the node is in sync, and has been without a break since the revision: what it shows of that
    // revision is complete.
    bool isInSince(const std::string& alias, uint64_t revision) const;
    // Changes the state of a node. Its revision becomes that of the write, which readers of the value fill in.
    static void enter(NodeConfig& node, NodeState state);
    // Makes a node `Out`, and notes that its folder was lost.
    static void lose(NodeConfig& node);
    // Returns the entry of a node whose process starts, and sets its incarnation. A new node is added as `In`: it has
    // no partitions yet. Valid until `nodes` changes.
    NodeConfig& started(const std::string& alias, const std::string& incarnation);

    std::string encode() const;
    // Parses the value of the key. Throws SystemError when it is malformed.
    static ClusterConfig decode(const MetaEntry& entry);
    // Returns the list in the store; an empty one when there is none. Throws SystemError as decode, and when the store
    // does not answer.
    static ClusterConfig read(MetaStore& store);
    // Writes the list in the place of the version that it was made from, together with the keys `with`, as one
    // transaction. Returns false when that version is no longer the newest: nothing is written. Throws SystemError when
    // the store does not answer. REQUIRES: there are nodes.
    bool write(MetaStore& store, std::vector<MetaWrite> with = {}) const;
};

}  // namespace pelorus
