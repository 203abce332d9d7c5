// The nodes and who is in sync: the value of the key `config`, which every decision of a transaction compares.
//
// A node that is `In` has, or will install, every transaction that was decided for its partitions. One that is `Out`
// may lack some: it serves and takes nothing of partitions that have another replica. Every change of a state is a
// compare-and-swap of the key, whose revisions are the order of all leavings.
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

// Returns the state's name for people.
std::string_view nameOf(NodeState state);

struct NodeConfig {
    std::string alias;
    uint64_t number = 0;      // unique among all nodes that ever were, from 1
    std::string incarnation;  // of the process that may decide; empty after it was written out
    NodeState state = NodeState::In;
    uint64_t since = 0;            // revision at which the state was entered
    std::optional<uint64_t> left;  // revision at which it last left `In`
    bool isLost = false;           // its folder lacks what it had until it left: it is complete only by copies
};

class ClusterConfig {
public:
    uint64_t revision = 0;  // of the key; 0: there is none yet
    std::vector<NodeConfig> nodes;

    const NodeConfig* find(const std::string& alias) const;
    NodeConfig* find(const std::string& alias);
    bool isIn(const std::string& alias) const;
    // Whether the node is in sync, and was at the revision and ever since: its versions of then are those of all.
    bool isInSince(const std::string& alias, uint64_t revision) const;
    // Changes a state. Its revision is that of the write, which readers of the value fill in.
    static void enter(NodeConfig& node, NodeState state);
    // Makes a node `Out` whose folder was lost.
    static void lose(NodeConfig& node);
    // Returns this process's entry, made or renewed for its incarnation; a new node begins as `In`, without partitions.
    NodeConfig& started(const std::string& alias, const std::string& incarnation);

    std::string encode() const;
    // Throws SystemError when the value does not read.
    static ClusterConfig decode(const MetaEntry& entry);
    static ClusterConfig read(MetaStore& store);
    // Writes it in the place of the one that it was made from, together with these keys. Returns false when that has
    // changed.
    bool write(MetaStore& store, std::vector<MetaWrite> with = {}) const;
};

}  // namespace pelorus
