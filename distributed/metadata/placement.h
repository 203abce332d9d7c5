// Gives partitions their nodes, in the metadata store; see cluster_keys.h for the keys.
//
// A partition gets its replicas when its first row arrives: as many nodes as dfsReplicationFactor says, on different
// hosts where there are, those with the fewest partitions of the database. Thread-safe: nodes that place the same chunk
// at once agree by compare-and-swap.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "distributed/metadata/placed_chunk.h"
#include "storage/commit/write_batch.h"

namespace pelorus {

class Cluster;
class ClusterMap;
class MetaStore;
struct TableEntry;

class Placement {
public:
    Placement(Cluster& cluster, MetaStore& store, ClusterMap& map, size_t replicationFactor)
        : cluster_(cluster), store_(store), map_(map), factor_(replicationFactor) {}

    // Returns the places of these chunks, in their order; partitions without any get one. Nothing when the table has
    // changed since `table` was read. Throws SystemError (retryable) when no node takes new partitions.
    std::optional<std::vector<PlacedChunk>> placesOf(const TableEntry& table, const std::vector<ChunkRows>& chunks);
    // Waits until the map has what other nodes have changed before this call.
    void refresh();

private:
    bool placeMissing(const TableEntry& table, const std::vector<ChunkRows>& chunks);
    std::vector<std::string> choose(std::map<std::string, int64_t>& load) const;

    Cluster& cluster_;
    MetaStore& store_;
    ClusterMap& map_;
    const size_t factor_;
};

}  // namespace pelorus
