// Snapshots of tables that are one partition, in this process: a table in memory, or rows that are computed when they
// are read.
#pragma once

#include <memory>
#include <vector>

#include "runtime/memory/block_ranges.h"
#include "runtime/table/table.h"

namespace pelorus {

// The rows of blocks in memory.
constexpr int64_t kMemoryBlockRows = BlockRanges::kBlockElements;

// A snapshot of one partition whose columns can be had as a whole.
class OnePartition : public TableSnapshot {
public:
    uint64_t number() const final { return 0; }
    const std::vector<PartitionEntry>& partitions() const final;
    bool isInSchemeOrder() const final { return true; }

    // Returns the first `rows` values of a column, shared with the table where it has them.
    virtual Value column(int column, int64_t rows) const = 0;
    // Throws UserError when memory is too short for so many rows of these columns.
    virtual void requireRoom(int64_t /*rows*/, const TableSchema& /*columns*/) const {}
};

// A snapshot of a table in memory, which nobody changes as long as it is read.
class MemoryTableSnapshot final : public OnePartition {
public:
    explicit MemoryTableSnapshot(Ref<MemoryTable> table) : table_(std::move(table)) {}

    // REQUIRES of the columns that are read: vectors, or array vectors.
    std::unique_ptr<PartitionReader> open(size_t partition) const override;
    Value column(int column, int64_t rows) const override;

private:
    const Ref<MemoryTable> table_;
};

}  // namespace pelorus
