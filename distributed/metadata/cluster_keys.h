// Keys and values of the metadata store of a cluster: they never change.
//
//   place/<database>\n<path>     a partition: its replicas and its position in the scheme
//   txn/<transaction>            how a transaction ended
//
// Read and turned into places by the first node that starts (chunk_keys.h), no longer written:
//
//   chunk/<table id>/<path>      a chunk of a table: its replicas and its position in the scheme
//   chunks/<table id>            changed with every change to the list of the table's chunks
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/meta_store.h"
#include "distributed/metadata/placed_chunk.h"

namespace pelorus {

inline constexpr const char* kPlacePrefix = "place/";
inline constexpr const char* kDecisionPrefix = "txn/";
inline constexpr const char* kBaseKey = "base";  // of stamps; absent: stamp::kFirstBase

std::string placeKey(const std::string& database, const std::string& path);
// Returns the beginning of the keys of a database's partitions.
std::string placesOf(const std::string& database);
std::string decisionKey(const std::string& transaction);

// Returns the base of stamps that the store holds.
uint64_t baseOf(MetaStore& store);
// Returns the places of all partitions that a node keeps; the path of each begins with its database.
std::vector<PlacedChunk> placesOfNode(MetaStore& store, const std::string& alias);

std::string encodePlace(const PlacedChunk& place);
// Reads records of older versions, too, which lack the index.
PlacedChunk decodePlace(std::string path, const std::string& record, uint64_t revision);

// The end of a transaction, as the store has it.
struct TransactionRecord {
    std::string transaction;  // "<incarnation of the coordinator>/<number>"
    bool commit = false;
    uint64_t place = 0;  // among those of its revision
    std::vector<std::string> participants;
    uint64_t revision = 0;

    std::string encode() const;
    // Returns nothing for a value of another form.
    static std::optional<TransactionRecord> decode(std::string transaction, const std::string& value,
                                                   uint64_t revision);
};

// Returns the process that coordinates a transaction, or holds a query, of this name.
std::string incarnationOf(const std::string& name);
// Returns the node of a process.
std::string aliasOf(const std::string& incarnation);

}  // namespace pelorus
