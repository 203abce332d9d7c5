// Assigns partitions to nodes, in the metadata store; see cluster_keys.h for the keys.
//
// A partition gets its replicas when its first row arrives: as many nodes as dfsReplicationFactor says, on different
// hosts where there are, those with the fewest partitions of the database. Nodes that place the same partition
// concurrently agree by compare-and-swap.
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

// The rule by which this node places new partitions. ClusterDatabaseService owns it; tables call it before they append.
// Cluster, store and map outlive it. Thread-safe.
class Placement {
public:
    Placement(Cluster& cluster, MetaStore& store, ClusterMap& map, size_t replicationFactor)
        : cluster_(cluster), store_(store), map_(map), factor_(replicationFactor) {}

    // Returns the places of these chunks, in their order; partitions without a place get one. Returns nothing when the
    // table has changed since `table` was read. Throws SystemError (retryable) when no node takes new partitions, or
    // the metadata store does not answer.
    std::optional<std::vector<PlacedChunk>> placesOf(const TableEntry& table, const std::vector<ChunkRows>& chunks);
    // Waits until the map has what other nodes have changed before this call. Throws SystemError (retryable) after five
    // seconds, or when the metadata store does not answer.
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
