// A partitioned table over the nodes of a cluster.
//
// A snapshot is one number for all nodes. It is taken by asking the nodes that hold chunks of the table for their
// clocks, and is the largest of them; every earlier commit on any of them is visible. A node that is then read at that
// number assigns larger numbers to later commits (LocalStorage::serve). Thread-safe.
#pragma once

#include <memory>

#include "storage/table/local_table.h"

namespace pelorus {

class Cluster;
class Coordinator;
class Participant;
class Placement;

// Parts that the tables of a node share. Lives longer than they do.
struct ClusterParts {
    Cluster& cluster;
    Placement& placement;
    Participant& participant;
    Coordinator& coordinator;
};

class DistributedTable final : public CatalogTable {
public:
    DistributedTable(std::shared_ptr<ClusterParts> parts, Catalog& catalog, DatabaseEntry database, TableEntry entry,
                     OutsideRules rules = {});

    int64_t rowCount() const override;
    // Throws SystemError naming a node that holds chunks and does not answer. With a number other than 0, other nodes
    // are not asked: the caller that took the snapshot did so, and pins it there.
    std::shared_ptr<TableSnapshot> takeSnapshot(uint64_t number = 0) const override;

private:
    void store(std::vector<ChunkRows> chunks) override;

    const std::shared_ptr<ClusterParts> parts_;
};

}  // namespace pelorus
