// Changes which nodes keep a partition. Each change is a compare-and-swap of places, which also writes `config`: what
// is prepared by an older place is not decided.
#pragma once

#include <string>
#include <vector>

#include "distributed/metadata/placed_chunk.h"

namespace pelorus {

class ClusterConfig;
class ClusterMap;
class MetaStore;
struct TableEntry;

// Returns whether the partition is one of the table's: a dimension table has the one without an index.
bool isPartitionOf(const TableEntry& table, const PlacedChunk& chunk);

// Writes changed places, and `config` as it is, if neither has changed since they were read, and waits until the map
// has them. Many are written as several transactions. Returns false when one was refused; those before it are done.
// Throws SystemError when the store does not answer.
bool changePlaces(MetaStore& store, ClusterMap& map, const std::string& database,
                  const std::vector<PlacedChunk>& places, const ClusterConfig& config);

// Makes a node a learner of the partitions, which are given as they were read. `replaces`: the replica that it
// replaces; may be empty. Returns false when places or nodes have changed meanwhile; throws as changePlaces.
bool nameLearner(MetaStore& store, ClusterMap& map, const std::string& database, std::vector<PlacedChunk> places,
                 const std::string& alias, const std::string& replaces);
// Removes a node from the replicas or learners of the partitions, which are given as they were read; it then removes
// its copies itself. Returns false when places or nodes have changed meanwhile. Throws UserError where no replica in
// sync would remain: nothing has changed.
bool removeReplica(MetaStore& store, ClusterMap& map, const std::string& database, std::vector<PlacedChunk> places,
                   const std::string& alias);
// Makes a learner a replica, in `place` only; the replica that it replaces is moved to those that left.
void promote(PlacedChunk& place, const std::string& alias);

}  // namespace pelorus
