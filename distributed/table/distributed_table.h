// Partitioned tables over the nodes of a cluster.
//
// A snapshot is one revision of the metadata store for all nodes (cluster_query.h). Only nodes that are read are asked,
// and of several replicas one that is in sync and answers.
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

// The parts that the tables of a process share. ClusterDatabaseService owns what it refers to.
struct ClusterParts {
    Cluster& cluster;
    Placement& placement;
    Participant& participant;
    Coordinator& coordinator;
    ClusterQueries& queries;
    SyncStates& syncStates;
};

// A handle of a table of a cluster, which ClusterDatabaseService::open makes. Rows are appended and replaced by the
// coordinator of this process, on every replica of their partitions. Thread-safe. Errors: SystemError when the metadata
// store, or every node that could serve or store a partition, does not answer.
class DistributedTable final : public CatalogTable {
public:
    DistributedTable(std::shared_ptr<ClusterParts> parts, Catalog& catalog, DatabaseEntry database, TableEntry entry,
                     OutsideRules rules = {});

    // Returns the number of rows that a query sees now; counts them on the nodes that keep them.
    int64_t rowCount() const override;
    // Returns a snapshot of the newest revision for 0; of the same revision for the number of a query of this process;
    // for the number of another process's query, the snapshot of the chunks that this node has opened for it. Throws
    // SystemError when the metadata store does not answer, or that query is not open here.
    std::shared_ptr<TableSnapshot> takeSnapshot(uint64_t number = 0) const override;

    // Returns what is the same for all tables of the cluster: a statement reads them at one revision.
    const void* clock() const override { return parts_.get(); }

private:
    bool appendChunks(std::vector<TableChunks> parts, Transaction* with) override;
    bool replaceChunks(std::vector<ReplacedChunk> chunks, const TableSnapshot& seen, const TableEntry& entry) override;

    const std::shared_ptr<ClusterParts> parts_;
};

}  // namespace pelorus
