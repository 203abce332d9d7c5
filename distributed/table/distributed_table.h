// A partitioned table over the nodes of a cluster.
//
// A snapshot is one revision of the metadata store for all nodes (cluster_query.h). Only nodes that are read are asked,
// and of several replicas one that is in sync and answers. Thread-safe.
#pragma once

#include <memory>

#include "storage/table/local_table.h"

namespace pelorus {

class Cluster;
class Coordinator;
class ClusterQueries;
class Participant;
class SyncStates;
class Placement;

// Parts that the tables of a node share. Lives longer than they do.
struct ClusterParts {
    Cluster& cluster;
    Placement& placement;
    Participant& participant;
    Coordinator& coordinator;
    ClusterQueries& queries;
    SyncStates& syncStates;
};

class DistributedTable final : public CatalogTable {
public:
    DistributedTable(std::shared_ptr<ClusterParts> parts, Catalog& catalog, DatabaseEntry database, TableEntry entry,
                     OutsideRules rules = {});

    int64_t rowCount() const override;
    // With the number of a query of this process, a snapshot of the same revision; with that of another process's, the
    // part that this node has opened for it. Throws SystemError when the metadata store does not answer.
    std::shared_ptr<TableSnapshot> takeSnapshot(uint64_t number = 0) const override;

    // Tables of one cluster are read at one revision by a statement.
    const void* clock() const override { return parts_.get(); }

private:
    bool appendChunks(std::vector<TableChunks> parts) override;
    bool replaceChunks(std::vector<ReplacedChunk> chunks, const TableSnapshot& seen, const TableEntry& entry) override;

    const std::shared_ptr<ClusterParts> parts_;
};

}  // namespace pelorus
