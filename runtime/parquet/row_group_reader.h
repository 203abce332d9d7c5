// Reader of the blocks of one row group, for queries.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/parquet/parquet_table.h"
#include "runtime/partition/value_filters.h"

namespace pelorus {

// A column of a row group is decoded from its begin on: readers of its blocks leave the decoder where the next block
// begins, and a block behind others skips them. So a scan decodes a column once, and threads that share a row group
// decode what is stored before their blocks again. Thread-safe.
class RowGroupReader final : public PartitionReader, public ValueFilters {
public:
    // As many rows as a morsel of blocks makes of the usual row group of 2^20 rows.
    static constexpr int64_t kBlockRows = 131072;

    RowGroupReader(std::shared_ptr<const ParquetTable::State> state, size_t group);

    int64_t rowCount() const override { return rows_; }
    int blockCount() const override { return static_cast<int>((rows_ + kBlockRows - 1) / kBlockRows); }
    int64_t blockRows(int block) const override { return std::min(kBlockRows, rows_ - block * kBlockRows); }
    // Exact where a row group is one block: otherwise the bounds are those of the pages that overlap the block, and
    // where the file has no index of its pages those of the row group.
    BlockBounds bounds(int block, int column) const override;
    Value read(int block, int column) const override;
    bool mayHaveAny(int column, const std::vector<Value>& values) const override;

private:
    std::vector<BlockBounds> boundsOfBlocks(int column) const;
    std::unique_ptr<parquet_file::ColumnReader> takeReader(int column, int64_t begin) const;
    Value readFlat(int block, int column) const;
    Value readList(int block, int column) const;

    const std::shared_ptr<const ParquetTable::State> state_;
    const ParquetTable::Group group_;
    const parquet_file::ParquetFile& file_;
    const std::vector<int>& places_;
    const int64_t rows_;
    mutable Mutex mutex_;
    // By column: those that no thread uses.
    mutable std::map<int, std::vector<std::unique_ptr<parquet_file::ColumnReader>>> idle_ GUARDED_BY(mutex_);
    // By column: one for each block, or one for all.
    mutable std::map<int, std::vector<BlockBounds>> bounds_ GUARDED_BY(mutex_);
    mutable Mutex listMutex_;  // held while a list column is decoded, which is done once and whole
    mutable std::map<int, Value> lists_ GUARDED_BY(listMutex_);
};

}  // namespace pelorus
