// The part of a node in its cluster: what it keeps, prepares, shows to other nodes, and does in the background.
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

// An owner of the classes that each have one duty of a node, and of the map that they follow. A process makes one when
// it has its storage and has joined the cluster, and registers it as a service; ClusterNode owns it. The cluster
// outlives it. Thread-safe.
class Participant {
public:
    // Registers this process as that of the node: an earlier process of it decides nothing from then on. Installs what
    // was decided while the node was away, and follows the store from there. `maxStaleness` is passed to ClusterMap.
    // Throws SystemError when the store or the disk does not answer.
    Participant(std::shared_ptr<LocalStorage> storage, Cluster& cluster,
                std::chrono::milliseconds maxStaleness = std::chrono::milliseconds(0));
    // Ends the background work, and notes in the store what this node's folder has on its disk.
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
    // These members are in the order of construction: each uses those before it.
    const std::unique_ptr<Installer> installer_;
    std::unique_ptr<ClusterMap> map_;
    std::unique_ptr<SnapshotPins> pins_;
    std::unique_ptr<PreparedTransactions> transactions_;
    std::unique_ptr<StoredRowsReader> reader_;
    std::unique_ptr<NodeMaintenance> maintenance_;
};

}  // namespace pelorus
