// Reader of a memory table in blocks, like partitions.
#pragma once

#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"

namespace pelorus {

class MemoryReader final : public PartitionReader {
public:
    static constexpr int64_t kBlockRows = BlockRanges::kBlockElements;

    explicit MemoryReader(Ref<MemoryTable> table) : table_(std::move(table)) {}

    int64_t rowCount() const override { return table_->rowCount(); }
    int blockCount() const override { return static_cast<int>((rowCount() + kBlockRows - 1) / kBlockRows); }
    int64_t blockRows(int block) const override { return std::min(kBlockRows, rowCount() - block * kBlockRows); }
    BlockBounds bounds(int block, int column) const override {
        const Value& items = table_->column(column);
        if (!items.isTypedVector()) return {};
        const std::optional<BlockRange> range = items.vector().range(block * kBlockRows);
        if (!range) return {};
        if (range->nullCount == kBlockRows)
            return {true, Value::nullOf(items.type()), Value::nullOf(items.type()), kBlockRows};
        return {true, Value::scalar(items.type(), range->least), Value::scalar(items.type(), range->greatest),
                range->nullCount};
    }
    Value read(int block, int column) const override {
        const Value& items = table_->column(column);
        const int64_t begin = block * kBlockRows;
        if (items.isArrayVector()) return Value::of(items.arrayVector().slice(begin, blockRows(block)));
        return Value::of(items.vector().slice(begin, blockRows(block)));
    }

private:
    Ref<MemoryTable> table_;
};

}  // namespace pelorus
