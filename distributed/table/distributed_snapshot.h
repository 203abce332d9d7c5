// A snapshot of a table over several nodes: all its partitions, of which this process opens its own.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "distributed/metadata/placement.h"
#include "distributed/table/distributed_table.h"

namespace pelorus {

// What one snapshot holds on other nodes, by its name: ended with it, on every node that may have been asked.
//
// A node that cannot be told, or gets the request to hold only after it was told to end it, asks: see Participant.
class HeldPins {
public:
    explicit HeldPins(std::shared_ptr<ClusterParts> parts);
    ~HeldPins();
    HeldPins(const HeldPins&) = delete;
    HeldPins& operator=(const HeldPins&) = delete;

    const std::string& name() const { return name_; }
    // REQUIRES: called before the nodes are asked to hold.
    void extend(const std::set<std::string>& nodes) { nodes_.insert(nodes.begin(), nodes.end()); }

private:
    const std::shared_ptr<ClusterParts> parts_;
    const std::string name_;
    std::set<std::string> nodes_;
};

// Holds, on every node that has chunks of the table, the versions that a snapshot from now on needs.
class SnapshotHold {
public:
    // Throws SystemError naming a node that does not answer: then nothing is held.
    SnapshotHold(std::shared_ptr<ClusterParts> parts, uint64_t table);
    SnapshotHold(const SnapshotHold&) = delete;
    SnapshotHold& operator=(const SnapshotHold&) = delete;

    uint64_t number() const { return number_; }
    const PlacedChunks& chunks() const { return chunks_; }

private:
    void takeNumber(const std::vector<std::string>& nodes);

    const std::shared_ptr<ClusterParts> parts_;
    HeldPins pins_;
    uint64_t number_ = 0;
    PlacedChunks chunks_;
};

class DistributedSnapshot final : public TableSnapshot {
public:
    using PathOf = std::function<std::string(const std::string& chunkPath)>;
    // `hold` is null where another process holds the snapshot. REQUIRES: this node serves `number`.
    DistributedSnapshot(std::shared_ptr<ClusterParts> parts, std::unique_ptr<SnapshotHold> hold, PlacedChunks chunks,
                        const TableEntry& table, const PathOf& pathOf, uint64_t number);

    uint64_t number() const override { return number_; }
    const std::vector<PartitionEntry>& partitions() const override { return partitions_; }
    std::unique_ptr<PartitionReader> open(size_t partition) const override;

private:
    const std::shared_ptr<ClusterParts> parts_;
    const std::unique_ptr<SnapshotHold> hold_;
    const VersionSet::Pin pin_;
    const uint64_t number_;
    const TableSchema schema_;
    const SortRule rule_;
    std::vector<PartitionEntry> partitions_;
    std::vector<ChunkVersionRef> versions_;  // nullptr for those of other nodes, and for empty ones
};

}  // namespace pelorus
