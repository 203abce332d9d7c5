// PartitionedMemoryTable is a partitioned table in memory.
//
// A partition is a version that consists of runs of rows, like the write cache of a chunk; in a keyed table it is one
// table with a key. Snapshots hold the versions that they saw, so that readers never wait for writers. Thread-safe; all
// names of the table refer to one object.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/table/growing_table.h"
#include "runtime/table/table.h"
#include "storage/catalog/catalog.h"
#include "storage/version/version_set.h"

namespace pelorus {

// The table. Its rows live as long as the table and its snapshots; nothing is on disk.
class PartitionedMemoryTable final : public PartitionedTable, public GrowingTable {
public:
    // Makes an empty table with the columns and the key of the sample. With a key, a row replaces the one of its
    // partition with the same key. Throws UserError when the partition columns do not fit the scheme.
    PartitionedMemoryTable(const DatabaseEntry& database, TableEntry entry, const MemoryTable& sample);
    // Makes existing tables the partitions, one per partition of the scheme, in its order; each gets a lock, so that
    // sessions may share it. Throws UserError when their number or columns do not fit.
    PartitionedMemoryTable(const DatabaseEntry& database, TableEntry entry,
                           const std::vector<Ref<MemoryTable>>& partitions);

    // References returned before a change of the columns remain valid for the life of the table.
    const TableSchema& columns() const override { return *schema_.load(std::memory_order_acquire); }
    void addColumn(const ColumnSchema& column) override;
    int64_t rowCount() const override;
    const std::string& databasePath() const override { return database_.path; }
    const PartitionScheme& scheme() const override { return database_.scheme; }
    const std::vector<std::string>& partitionColumns() const override { return entry_.partitionColumns; }
    const PartitionFunction* partitionFunction(size_t level) const override {
        return functionOf(entry_.partitionFunctions, level);
    }
    // Returns a snapshot of the partitions that have rows. REQUIRES: `number` is 0, since older states exist only in
    // the snapshots that saw them.
    std::shared_ptr<TableSnapshot> takeSnapshot(uint64_t number = 0) const override;
    AppendReport append(const MemoryTable& rows) override;
    bool replace(const TableSnapshot& seen,
                 const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions) override;

private:
    struct Partition {
        PartitionEntry entry;
        std::shared_ptr<ChunkVersion> version;
        Ref<MemoryTable> external;  // the table, in place of a version; never reassigned
    };
    std::vector<Partition> partitionList() const;
    bool replaceExternal(const TableSnapshot& seen, const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions);
    Partition& partitionFor(const std::vector<int>& index) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void addRows(Partition& partition, Ref<MemoryTable> rows) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    // Sets the key of the sample, if it has one, on the rows, and returns them.
    Ref<MemoryTable> withKeys(Ref<MemoryTable> rows) const;

    DatabaseEntry database_;
    TableEntry entry_;
    Ref<MemoryTable> sample_;          // a table without rows, with the columns and the key
    std::deque<TableSchema> schemas_;  // all schemas, the last one is current: references to older ones remain valid
    std::atomic<const TableSchema*> schema_{nullptr};
    bool isExternal_ = false;  // all partitions are external
    // Never held while a table's lock is awaited: its holder may be waiting for this one.
    mutable Mutex mutex_;
    std::vector<Partition> partitions_ GUARDED_BY(mutex_);  // ordered as the scheme is
    mutable std::atomic<uint64_t> snapshots_{0};
};

}  // namespace pelorus
