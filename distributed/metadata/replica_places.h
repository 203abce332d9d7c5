// Changes of the nodes that keep a partition. Each is a compare-and-swap of places, which also writes `config`: what is
// prepared by an older place is not decided.
#pragma once

#include <string>
#include <vector>

#include "distributed/metadata/placed_chunk.h"

namespace pelorus {

class ClusterConfig;
class ClusterMap;
class MetaStore;
struct TableEntry;

// Whether the partition is one of the table's: a dimension table has the one without an index.
bool isPartitionOf(const TableEntry& table, const PlacedChunk& chunk);

// Writes changed places, and `config` as it is, if neither has changed since they were read. Many are written as
// several transactions. False when one was refused; those before it are done.
bool changePlaces(MetaStore& store, ClusterMap& map, const std::string& database,
                  const std::vector<PlacedChunk>& places, const ClusterConfig& config);

// Names a node as a learner of partitions, which are changed as they were read. `replaces`: a replica that goes when it
// comes; may be empty. False when places or nodes have changed meanwhile.
bool nameLearner(MetaStore& store, ClusterMap& map, const std::string& database, std::vector<PlacedChunk> places,
                 const std::string& alias, const std::string& replaces);
// Takes a replica, or a learner, away. Throws UserError where no other replica in sync would be left: nothing has
// changed.
bool removeReplica(MetaStore& store, ClusterMap& map, const std::string& database, std::vector<PlacedChunk> places,
                   const std::string& alias);
// Makes a learner a replica, in the place.
void promote(PlacedChunk& place, const std::string& alias);

}  // namespace pelorus
