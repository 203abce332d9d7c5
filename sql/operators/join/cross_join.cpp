#include "sql/operators/join/cross_join.h"

#include <fmt/format.h>

#include "common/cancellation.h"
#include "common/error.h"
#include "runtime/memory/broker.h"
#include "runtime/spill_file.h"
#include "sql/operators/scan/memory_reader.h"
#include "sql/spill/spilled_parts.h"

namespace pelorus {

namespace {

class PairReader final : public PartitionReader {
public:
    explicit PairReader(Ref<const CrossJoin> pairs) : pairs_(std::move(pairs)) {}

    int64_t rowCount() const override { return pairs_->rowCount(); }
    int blockCount() const override { return static_cast<int>((rowCount() + kBlockRows - 1) / kBlockRows); }
    int64_t blockRows(int block) const override { return std::min(kBlockRows, rowCount() - block * kBlockRows); }
    BlockBounds bounds(int, int) const override { return {}; }
    Value read(int block, int column) const override {
        return pairs_->items(column, block * kBlockRows, blockRows(block));
    }

private:
    static constexpr int64_t kBlockRows = MemoryReader::kBlockRows;
    Ref<const CrossJoin> pairs_;
};

}  // namespace

void requireRoomForPairs(int64_t rows, const TableSchema& columns) {
    constexpr double kMegabyte = 1 << 20;
    const int64_t rowBytes = estimatedRowBytes(columns), room = memory::roomBytes();
    if (rowBytes == 0 || rows <= room / rowBytes) return;
    throw UserError(fmt::format("The cross join would have {} rows of {} bytes, {:.1f} MB, but there is room for "
                                "{:.1f} MB.",
                                rows, rowBytes, static_cast<double>(rows) * static_cast<double>(rowBytes) / kMegabyte,
                                static_cast<double>(room) / kMegabyte),
                    "Add conditions, aggregate in the same query, select fewer columns, or raise maxMemSize.");
}

CrossJoin::CrossJoin(Ref<MemoryTable> left, Ref<MemoryTable> right, const JoinedColumns& shown)
    : left_(std::move(left)), right_(std::move(right)) {
    if (rowCount() > INT32_MAX) {
        throw UserError(fmt::format("The cross join would have {} rows; the most is 2147483647.", rowCount()));
    }
    const auto isRead = [&](const std::string& name) { return !shown.isRead || shown.isRead(name); };
    for (int c = 0; c < left_->columnCount(); ++c) {
        const std::string& name = left_->columns()[static_cast<size_t>(c)].name;
        if (isRead(name)) show(true, c, name);
    }
    for (int c = 0; c < right_->columnCount(); ++c) {
        const std::string& name = right_->columns()[static_cast<size_t>(c)].name;
        const std::string called = joinedName(name, shown.rightName, left_->findColumn(name) >= 0);
        if (isRead(called)) show(false, c, called);
    }
    // Someone may only count the rows.
    if (columns_.empty()) show(true, 0, left_->columns()[0].name);
}

void CrossJoin::show(bool ofLeft, int number, std::string name) {
    ColumnSchema column = (ofLeft ? left_ : right_)->columns()[static_cast<size_t>(number)];
    column.name = std::move(name);
    schema_.push_back(std::move(column));
    columns_.push_back({ofLeft, number});
}

Value CrossJoin::items(int column, int64_t begin, int64_t count) const {
    checkCancelled();
    const Column& source = columns_[static_cast<size_t>(column)];
    std::vector<int32_t> positions(static_cast<size_t>(count));
    const int64_t width = right_->rowCount();
    int64_t left = count > 0 ? begin / width : 0, right = count > 0 ? begin % width : 0;
    for (int32_t& position : positions) {
        position = static_cast<int32_t>(source.ofLeft ? left : right);
        if (++right == width) {
            right = 0;
            ++left;
        }
    }
    return gatherItems((source.ofLeft ? left_ : right_)->column(source.number), positions.data(), count);
}

Ref<MemoryTable> CrossJoin::rows(Context&) {
    requireRoomForPairs(rowCount(), schema_);
    auto result = makeRef<MemoryTable>();
    for (size_t c = 0; c < schema_.size(); ++c)
        result->setColumn(schema_[c].name, items(static_cast<int>(c), 0, rowCount()));
    return result;
}

bool CrossJoin::hasRoom() const {
    return !SpilledParts::canHold(schema_) || rowCount() <= memory::roomBytes() / (2 * estimatedRowBytes(schema_));
}

std::shared_ptr<const PartitionReader> CrossJoin::reader() const {
    return std::make_shared<PairReader>(Ref<const CrossJoin>(this));
}

Ref<Table> crossJoin(const Ref<MemoryTable>& left, const Ref<MemoryTable>& right, const JoinedColumns& shown,
                     Context& context) {
    const auto pairs = makeRef<CrossJoin>(left, right, shown);
    return pairs->hasRoom() ? Ref<Table>(pairs->rows(context)) : Ref<Table>(pairs);
}

}  // namespace pelorus
