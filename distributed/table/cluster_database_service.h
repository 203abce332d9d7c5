// Databases and tables over the nodes of a cluster, for the built-in functions.
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

class ClusterDatabaseService final : public DatabaseService {
public:
    // `participant` keeps this node's chunks; new partitions get `replicationFactor` copies where there are as many
    // nodes.
    ClusterDatabaseService(Cluster& cluster, Participant& participant, size_t replicationFactor = 1,
                           OutsideRules rules = {});
    ~ClusterDatabaseService() override;

    Catalog& catalog() override { return catalog_; }
    Ref<PartitionedTable> open(const DatabaseEntry& database, const TableEntry& table) override;
    // Every node removes its rows when it passes the table's tombstone, also one that comes back later.
    void removeRows(uint64_t) override {}
    void truncate(uint64_t table) override;
    void removePartitions(uint64_t table, const std::vector<std::string>& paths) override;
    void clearCache() override;
    LocalStorage& ownStorage() override;

private:
    // Removes the rows of these partitions, of all when there is no list, as one transaction.
    void clear(uint64_t table, const std::vector<std::string>* paths);
    void onAllNodes(std::string_view function, const std::vector<Value>& arguments);

    Cluster& cluster_;
    Participant& participant_;
    const std::unique_ptr<MapStore> names_;
    Catalog catalog_;
    // In the order of their needs.
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
