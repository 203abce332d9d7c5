// Commits of the rows of stream tables, which are the node's own and not in the catalog.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/meta_store.h"
#include "runtime/table/table.h"
#include "storage/log/wal_writer.h"

namespace pelorus {

class CommitPath;
class Segment;
struct StorageParts;

// Ids of stream tables have this bit: catalogs never give it, so that a node of a cluster tells them from the tables
// that its cluster has forgotten. In files: never change.
inline constexpr uint64_t kStreamTableBit = uint64_t{1} << 63;
inline bool isStreamTableId(uint64_t table) {
    return (table & kStreamTableBit) != 0;
}
// Prefix of the keys about streams in the metadata store of a data folder. In files: never change.
inline constexpr const char* kStreamKeys = "stream/";

// The path of commits to stream tables: each has one chunk, and what is noted about its rows is written in the record
// of the rows. A call that throws SystemError has changed nothing. Thread-safe. LocalStorage owns it.
class StreamCommits {
public:
    StreamCommits(StorageParts& parts, CommitPath& commits) : parts_(parts), commits_(commits) {}

    // Appends rows, in the log and then in memory until a flush, however many they are.
    void append(uint64_t table, const Ref<MemoryTable>& rows, const std::vector<MetaWrite>& writes,
                WalWriter::Sync sync);
    // Writes metadata, synced with a later record unless `sync` says otherwise.
    void write(const std::vector<MetaWrite>& writes, WalWriter::Sync sync);
    // Removes the oldest segments, as long as `isOld` says so of each, and writes what `note` returns for the number of
    // their rows. Returns that number; 0 leaves everything as it is.
    int64_t removeOldest(uint64_t table, const std::function<bool(const Segment&)>& isOld,
                         const std::function<MetaWrite(int64_t rows)>& note);
    // Removes all rows of the table, and writes metadata.
    void remove(uint64_t table, const std::vector<MetaWrite>& writes);

private:
    StorageParts& parts_;
    CommitPath& commits_;
};

}  // namespace pelorus
