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
    void removeRows(uint64_t table) override;
    void truncate(uint64_t table) override;
    void removePartitions(uint64_t table, const std::vector<std::string>& paths) override;
    void clearCache() override;
    LocalStorage& ownStorage() override;

private:
    // Throws when a partition has several copies, or its node is away.
    void requireNodesOf(uint64_t table, const std::vector<std::string>& paths) const;
    void onAllNodes(std::string_view function, const std::vector<Value>& arguments);

    Cluster& cluster_;
    Participant& participant_;
    Catalog catalog_;
    // In the order of their needs.
    const std::unique_ptr<Placement> placement_;
    const std::unique_ptr<SyncStates> syncStates_;
    const std::unique_ptr<Coordinator> coordinator_;
    const std::unique_ptr<ClusterQueries> queries_;
    const std::shared_ptr<ClusterParts> parts_;
    const std::unique_ptr<NodeReturn> return_;
    const OutsideRules rules_;
};

}  // namespace pelorus
