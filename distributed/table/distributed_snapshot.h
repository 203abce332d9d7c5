// Snapshots of tables whose partitions are kept by several nodes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "distributed/metadata/placed_chunk.h"
#include "distributed/table/cluster_query.h"
#include "runtime/table/remote_partitions.h"
#include "storage/catalog/sort_rule.h"
#include "storage/version/version_set.h"

namespace pelorus {

struct ClusterParts;
struct TableEntry;

// A snapshot of a DistributedTable, which makes it: its partitions with the nodes that keep them, at the revision of a
// query. Partitions that this node keeps are read from its storage, others are fetched from a replica when they are
// opened. It keeps the query, and by a pin the versions of this node, alive. Thread-safe. Errors: SystemError
// (retryable) when no replica serves a partition.
class DistributedSnapshot final : public TableSnapshot, public RemotePartitions {
public:
    using PathOf = std::function<std::string(const std::string& chunkPath)>;
    // Makes the snapshot of a query of this process. `pathOf` returns the path of a partition for users.
    DistributedSnapshot(std::shared_ptr<ClusterParts> parts, std::shared_ptr<ClusterQuery> query, PlacedChunks chunks,
                        const TableEntry& table, const PathOf& pathOf);
    // Makes the snapshot of another process's query, with all partitions as if this node kept them: those that it does
    // not keep are empty. REQUIRES: the query is open here; `here` is the number of its snapshot.
    DistributedSnapshot(std::shared_ptr<ClusterParts> parts, uint64_t query, uint64_t here, PlacedChunks chunks,
                        const TableEntry& table, const PathOf& pathOf);

    uint64_t number() const override { return number_; }
    const std::vector<PartitionEntry>& partitions() const override { return partitions_; }
    std::unique_ptr<PartitionReader> open(size_t partition) const override;
    std::vector<std::string> openNodes(const std::vector<size_t>& partitions) override;
    std::vector<size_t> withRows(const std::vector<size_t>& partitions) override;
    Replicas replicasOf(size_t partition) const override;
    bool hasOthers(const std::vector<size_t>& partitions, const std::string& node) const override;
    void lose(const std::string& node, const std::string& why) override;

    // Returns the place of a partition, given by its position in `partitions()`.
    const PlacedChunk& place(size_t partition) const { return *places_[partition]; }
    // Returns the number of stored rows of a partition.
    int64_t storedRows(size_t partition) const;
    // Returns the query of this process; null for another process's.
    ClusterQuery* query() const { return query_.get(); }

private:
    std::vector<ClusterQuery::Served> served(const std::vector<size_t>& partitions, bool mayBeAway = false) const;

    const std::shared_ptr<ClusterParts> parts_;
    const std::shared_ptr<ClusterQuery> query_;  // null for another process's
    const uint64_t number_;
    const uint64_t table_;
    const VersionSet::Pin pin_;
    const TableSchema schema_;
    const SortRule rule_;
    const PlacedChunks chunks_;
    std::vector<PartitionEntry> partitions_;
    std::vector<const PlacedChunk*> places_;  // places of the partitions, in `chunks_`
    std::vector<ChunkVersionRef> versions_;   // nullptr for those that are not here, and for empty ones
    std::vector<bool> isHere_;
};

}  // namespace pelorus
