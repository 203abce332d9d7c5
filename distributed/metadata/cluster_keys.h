// Keys and values of the metadata store of a cluster: they never change.
//
//   place/<database>\n<path>     replicas of a partition: all tables of a database share them, so that joins stay local
//   chunk/<table id>/<path>      a chunk of a table: its replicas and its position in the scheme
//   chunks/<table id>            changes with every change to the list of the table's chunks
//   txn/<transaction>            how a transaction ended
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "distributed/metadata/placed_chunk.h"

namespace pelorus {

inline constexpr const char* kChunkPrefix = "chunk/";
inline constexpr const char* kPlacePrefix = "place/";
inline constexpr const char* kDecisionPrefix = "txn/";
inline constexpr const char* kBaseKey = "base";  // of stamps; absent: stamp::kFirstBase

std::string chunkKey(uint64_t table, const std::string& path);
std::string chunkListKey(uint64_t table);
std::string placeKey(const std::string& database, const std::string& path);
std::string decisionKey(const std::string& transaction);

std::string chunkRecord(const std::vector<std::string>& replicas, const std::vector<int>& index);
std::vector<std::string> replicasOfRecord(const std::string& record);
PlacedChunk decodeChunk(std::string path, const std::string& record, uint64_t revision);

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
