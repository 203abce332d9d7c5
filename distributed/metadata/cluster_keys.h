// Encodes and parses the keys and values of a cluster's metadata store, which never change:
//
//   place/<database>\n<path>     a partition: its replicas and its position in the scheme
//   txn/<transaction>            how a transaction ended
//
// These are no longer written; the first node that starts migrates them to places (chunk_keys.h):
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
inline constexpr const char* kBaseKey = "base";  // base of commit timestamps; absent: stamp::kFirstBase

// Returns the key of a partition's place.
std::string placeKey(const std::string& database, const std::string& path);
// Returns the prefix of the keys of a database's partitions.
std::string placesOf(const std::string& database);
// Returns the key of a transaction's record.
std::string decisionKey(const std::string& transaction);

// Returns the base of commit timestamps that the store holds. Throws SystemError when it does not answer.
uint64_t baseOf(MetaStore& store);
// Returns the places of all partitions of which a node is a replica; the path of each begins with its database. Throws
// SystemError when the store does not answer.
std::vector<PlacedChunk> placesOfNode(MetaStore& store, const std::string& alias);

// Returns the value of a place's key.
std::string encodePlace(const PlacedChunk& place);
// Parses the value of a place's key, which was written at `revision`; also one of an older version, which lacks the
// index.
PlacedChunk decodePlace(std::string path, const std::string& record, uint64_t revision);

// A record of how a transaction ended, as the store holds it.
struct TransactionRecord {
    std::string transaction;  // "<incarnation of the coordinator>/<number>"
    bool commit = false;
    uint64_t place = 0;  // position among the records of its revision
    std::vector<std::string> participants;
    uint64_t revision = 0;

    std::string encode() const;
    // Returns nothing for a value that is no record.
    static std::optional<TransactionRecord> decode(std::string transaction, const std::string& value,
                                                   uint64_t revision);
};

// Returns the name of the process that coordinates a transaction, or holds a query, of this name.
std::string incarnationOf(const std::string& name);
// Returns the alias of a process's node.
std::string aliasOf(const std::string& incarnation);

}  // namespace pelorus
