// Databases and tables over the nodes of a cluster, for the built-in functions.
#pragma once

#include <memory>

#include "database/service/database_service.h"
#include "distributed/cluster/cluster.h"
#include "distributed/metadata/placement.h"
#include "distributed/table/distributed_table.h"
#include "distributed/transaction/coordinator.h"
#include "distributed/transaction/participant.h"

namespace pelorus {

class ClusterDatabaseService final : public DatabaseService {
public:
    // `participant` keeps this node's chunks.
    ClusterDatabaseService(Cluster& cluster, Participant& participant, OutsideRules rules = {});

    Catalog& catalog() override { return catalog_; }
    Ref<PartitionedTable> open(const DatabaseEntry& database, const TableEntry& table) override;
    void removeRows(uint64_t table) override;
    void truncate(uint64_t table) override;
    void removePartitions(uint64_t table, const std::vector<std::string>& paths) override;
    void clearCache() override;
    LocalStorage& ownStorage() override { return participant_.storage(); }

private:
    void requireNodesOf(const std::vector<PlacedChunk>& chunks, const std::vector<std::string>& paths) const;
    void onAllNodes(std::string_view function, const std::vector<Value>& arguments);

    Cluster& cluster_;
    Participant& participant_;
    Catalog catalog_;
    Placement placement_;
    Coordinator coordinator_;
    const std::shared_ptr<ClusterParts> parts_;
    const OutsideRules rules_;
};

}  // namespace pelorus
