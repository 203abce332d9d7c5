// The databases and tables of a cluster, for the built-in functions.
#pragma once

#include <memory>

#include "database/service/database_service.h"
#include "storage/table/local_table.h"

namespace pelorus {

class Cluster;
class ClusterQueries;
class Coordinator;
class SyncStates;
class LearnerCopies;
class MapStore;
class NodeReturn;
class Participant;
class Placement;
struct ClusterParts;

// The DatabaseService of a process in a cluster, registered as a service. It owns what the tables of the process share,
// and the background work on the states of nodes: heartbeats, coming back in sync, and copies of partitions. Cluster
// and participant outlive it. Thread-safe. Calls throw SystemError when the metadata store or a node that is needed
// does not answer.
class ClusterDatabaseService final : public DatabaseService {
public:
    // `participant` keeps this node's chunks; new partitions get `replicationFactor` replicas where there are as many
    // nodes. `rules` say what happens to appended rows that no partition takes.
    ClusterDatabaseService(Cluster& cluster, Participant& participant, size_t replicationFactor = 1,
                           OutsideRules rules = {});
    ~ClusterDatabaseService() override;

    Catalog& catalog() override { return catalog_; }
    Ref<PartitionedTable> open(const DatabaseEntry& database, const TableEntry& table) override;
    // Does nothing: every node removes its rows when its map reaches the table's tombstone, even one that comes back
    // later.
    void removeRows(uint64_t) override {}
    void truncate(uint64_t table) override;
    void removePartitions(uint64_t table, const std::vector<std::string>& paths) override;
    void clearCache() override;
    LocalStorage& ownStorage() override;

private:
    // Removes the rows of these partitions, or of all when `paths` is null, as one transaction.
    void clear(uint64_t table, const std::vector<std::string>* paths);
    void onAllNodes(std::string_view function, const std::vector<Value>& arguments);

    Cluster& cluster_;
    Participant& participant_;
    const std::unique_ptr<MapStore> names_;
    Catalog catalog_;
    // These members are in the order of construction: each uses those before it.
    const std::unique_ptr<Placement> placement_;
    const std::unique_ptr<SyncStates> syncStates_;
    const std::unique_ptr<Coordinator> coordinator_;
    const std::unique_ptr<ClusterQueries> queries_;
    const std::shared_ptr<ClusterParts> parts_;
    const std::unique_ptr<NodeReturn> return_;
    const std::unique_ptr<LearnerCopies> learners_;
    const OutsideRules rules_;
};

}  // namespace pelorus
