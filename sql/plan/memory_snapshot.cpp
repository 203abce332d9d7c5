#include "sql/plan/memory_snapshot.h"

#include <algorithm>
#include <optional>

#include "common/check.h"
#include "runtime/value/array_vector.h"

namespace pelorus {

namespace {

class MemoryReader final : public PartitionReader {
public:
    explicit MemoryReader(Ref<MemoryTable> table) : table_(std::move(table)) {}

    int64_t rowCount() const override { return table_->rowCount(); }
    int blockCount() const override { return static_cast<int>((rowCount() + kMemoryBlockRows - 1) / kMemoryBlockRows); }
    int64_t blockRows(int block) const override {
        return std::min(kMemoryBlockRows, rowCount() - block * kMemoryBlockRows);
    }
    BlockBounds bounds(int block, int column) const override {
        const Value& items = table_->column(column);
        if (!items.isTypedVector()) return {};
        const std::optional<BlockRange> range = items.vector().range(block * kMemoryBlockRows);
        if (!range) return {};
        if (range->nullCount == kMemoryBlockRows)
            return {true, Value::nullOf(items.type()), Value::nullOf(items.type()), kMemoryBlockRows};
        return {true, Value::scalar(items.type(), range->least), Value::scalar(items.type(), range->greatest),
                range->nullCount};
    }
    Value read(int block, int column) const override {
        const Value& items = table_->column(column);
        const int64_t begin = block * kMemoryBlockRows;
        if (items.isArrayVector()) return Value::of(items.arrayVector().slice(begin, blockRows(block)));
        return Value::of(items.vector().slice(begin, blockRows(block)));
    }

private:
    const Ref<MemoryTable> table_;
};

}  // namespace

const std::vector<PartitionEntry>& OnePartition::partitions() const {
    static const std::vector<PartitionEntry> kOne(1);
    return kOne;
}

std::unique_ptr<PartitionReader> MemoryTableSnapshot::open(size_t partition) const {
    CHECK(partition == 0) << "a table in memory is one partition";
    return std::make_unique<MemoryReader>(table_);
}

Value MemoryTableSnapshot::column(int column, int64_t rows) const {
    const Value& items = table_->column(column);
    if (rows >= items.size()) return items;
    return items.isArrayVector() ? Value::of(items.arrayVector().slice(0, rows))
                                 : Value::of(items.vector().slice(0, rows));
}

}  // namespace pelorus
