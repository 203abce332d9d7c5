// A snapshot of a table over several nodes: all its partitions, of which this process opens its own.
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

class DistributedSnapshot final : public TableSnapshot, public RemotePartitions {
public:
    using PathOf = std::function<std::string(const std::string& chunkPath)>;
    // A snapshot of a query of this process.
    DistributedSnapshot(std::shared_ptr<ClusterParts> parts, std::shared_ptr<ClusterQuery> query, PlacedChunks chunks,
                        const TableEntry& table, const PathOf& pathOf);
    // The part of another process's query here. REQUIRES: the query is open here; `here` is its number.
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

    // Returns the place of a partition, by position.
    const PlacedChunk& place(size_t partition) const { return *places_[partition]; }
    // Returns how many rows it has as they are stored.
    int64_t storedRows(size_t partition) const;
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
    std::vector<const PlacedChunk*> places_;  // of the partitions
    std::vector<ChunkVersionRef> versions_;   // nullptr for those that are not here, and for empty ones
    std::vector<bool> isHere_;
};

}  // namespace pelorus
