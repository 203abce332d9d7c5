// This node's part in its cluster: what it keeps, prepares, shows to other nodes, and does in the background.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "distributed/metadata/cluster_map.h"

namespace pelorus {

class Cluster;
class Installer;
class LocalStorage;
class NodeMaintenance;
class PreparedTransactions;
class SnapshotPins;
class StoredRowsReader;

// Owns the classes that each have one duty of a node, and the map that they follow. Made once the node has its storage
// and its place in the cluster; a service of the process. Thread-safe.
class Participant {
public:
    // Registers this process as the node's, installs what was decided while it was away, and follows the store from
    // there. `maxStaleness` as in ClusterMap.
    Participant(std::shared_ptr<LocalStorage> storage, Cluster& cluster,
                std::chrono::milliseconds maxStaleness = std::chrono::milliseconds(0));
    // Ends the background, and notes in the store how far this node's folder is.
    ~Participant();

    const std::string& alias() const;
    LocalStorage& storage() { return *storage_; }
    ClusterMap& map() { return *map_; }
    // Commits and prepares batches of rows.
    PreparedTransactions& transactions() { return *transactions_; }
    // Holds what queries of other nodes read here.
    SnapshotPins& pins() { return *pins_; }
    // Reads stored rows for other nodes.
    const StoredRowsReader& reader() const { return *reader_; }
    // Confirms and cleans up.
    NodeMaintenance& maintenance() { return *maintenance_; }

private:
    void registerProcess();
    void settleOld();

    const std::shared_ptr<LocalStorage> storage_;
    Cluster& cluster_;
    // In the order of start: each uses those before it.
    const std::unique_ptr<Installer> installer_;
    std::unique_ptr<ClusterMap> map_;
    std::unique_ptr<SnapshotPins> pins_;
    std::unique_ptr<PreparedTransactions> transactions_;
    std::unique_ptr<StoredRowsReader> reader_;
    std::unique_ptr<NodeMaintenance> maintenance_;
};

}  // namespace pelorus
