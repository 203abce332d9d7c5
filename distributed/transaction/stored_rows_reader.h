// What other nodes read of the rows that are stored here.
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

// Reads rows of chunks as they are stored, in the snapshots of open queries. Throws SystemError (retryable) for a query
// that is not open. Thread-safe. Participant owns it.
class StoredRowsReader {
public:
    StoredRowsReader(LocalStorage& storage, const Cluster& cluster, const ClusterMap& map, const SnapshotPins& pins)
        : storage_(storage), cluster_(cluster), map_(map), pins_(pins) {}

    // Returns how many rows these partitions of a table have here, as they are stored.
    std::vector<int64_t> rowCounts(uint64_t query, uint64_t table, const std::vector<std::string>& paths) const;
    // Returns a part of a chunk; null after the last one.
    Ref<MemoryTable> fetch(uint64_t query, uint64_t table, const std::string& path, size_t part) const;
    // What the copy of a partition here is the state of: the number of the last commit that changed its rows, 0 when
    // none is known, and the revision at which this node was complete.
    struct CopyStamp {
        uint64_t change = 0;
        uint64_t since = 0;
    };
    CopyStamp copyStamp(uint64_t query, uint64_t table, const std::string& path) const;
    // Returns the rows of a table that this node keeps, of the chunks with these paths, as queries see them now.
    int64_t visibleRows(const TableEntry& table, const std::set<std::string>& paths) const;

private:
    LocalStorage& storage_;
    const Cluster& cluster_;
    const ClusterMap& map_;
    const SnapshotPins& pins_;
};

}  // namespace pelorus
