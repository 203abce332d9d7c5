// Reads the rows that are stored on this node, for other nodes.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

class Cluster;
class ClusterMap;
class LocalStorage;
class SnapshotPins;
struct TableEntry;

// A reader of chunks as they are stored, in the snapshots of open queries. Built-ins call it for other nodes. Its calls
// throw SystemError (retryable) for a query that is not open. Thread-safe. Participant owns it; the arguments of the
// constructor outlive it.
class StoredRowsReader {
public:
    StoredRowsReader(LocalStorage& storage, const Cluster& cluster, const ClusterMap& map, const SnapshotPins& pins)
        : storage_(storage), cluster_(cluster), map_(map), pins_(pins) {}

    // Returns the numbers of stored rows of these partitions of a table, in their order; 0 for one without rows.
    // `revision`: that of the query. Throws SystemError (retryable) when one had left this node at that revision: who
    // asks has read the places before.
    std::vector<int64_t> rowCounts(uint64_t query, uint64_t revision, uint64_t table,
                                   const std::vector<std::string>& paths) const;
    // Returns a part of a chunk, read from its segment if it is on disk; null after the last part.
    Ref<MemoryTable> fetch(uint64_t query, uint64_t table, const std::string& path, size_t part) const;
    // A stamp of a copy of a partition, by which two copies are compared.
    struct CopyStamp {
        uint64_t change = 0;  // commit timestamp of the last change of its rows; 0: not known
        uint64_t since = 0;   // revision since which the node has been in sync; 0: it is not
    };
    // Returns the stamp of the copy of a partition on this node.
    CopyStamp copyStamp(uint64_t query, uint64_t table, const std::string& path) const;
    // Returns the number of rows that queries see now in the chunks of a table with these paths on this node.
    int64_t visibleRows(const TableEntry& table, const std::set<std::string>& paths) const;

private:
    LocalStorage& storage_;
    const Cluster& cluster_;
    const ClusterMap& map_;
    const SnapshotPins& pins_;
};

}  // namespace pelorus
