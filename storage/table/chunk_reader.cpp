// Reads one version of a chunk: its segments block by block, then the runs in memory as separate blocks; or, when its
// table has sort columns and the runs overlap, merged.
#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "storage/table/local_table.h"
#include "storage/version/version_set.h"

namespace pelorus {

namespace {

Value sliceOf(const Value& column, int64_t begin, int64_t rows) {
    if (begin == 0 && rows == column.size()) return column;
    if (column.isArrayVector()) return Value::of(column.arrayVector().slice(begin, rows));
    return Value::of(column.vector().slice(begin, rows));
}

class ChunkReader final : public PartitionReader {
public:
    ChunkReader(ChunkVersionRef version, const TableSchema& schema) : version_(std::move(version)), schema_(schema) {
        if (!version_) return;
        for (size_t p = 0; p < version_->parts.size(); ++p) {
            const ChunkPart& part = version_->parts[p];
            if (part.segment) part.segment->willOpen();
            for (int64_t begin = 0; begin < part.rowCount; begin += format::kBlockRows) {
                blocks_.push_back({p, begin, std::min(format::kBlockRows, part.rowCount - begin)});
            }
        }
    }

    int64_t rowCount() const override { return version_ ? version_->rowCount : 0; }
    int blockCount() const override { return static_cast<int>(blocks_.size()); }
    int64_t blockRows(int block) const override { return blocks_[static_cast<size_t>(block)].rows; }

    BlockBounds bounds(int block, int column) const override {
        const Block& place = blocks_[static_cast<size_t>(block)];
        const ChunkPart& part = version_->parts[place.part];
        if (!part.segment) return {};
        const int at = placeOf(part.segment->columns(), column);
        if (at < 0 || !isAsHeld(part.segment->columns()[static_cast<size_t>(at)], column)) return {};
        return part.segment->bounds(static_cast<int>(place.begin / format::kBlockRows), at);
    }

    Value read(int block, int column) const override {
        const Block& place = blocks_[static_cast<size_t>(block)];
        const ChunkPart& part = version_->parts[place.part];
        const TableSchema& held = part.segment ? part.segment->columns() : part.rows->columns();
        const ColumnSchema& facts = schema_[static_cast<size_t>(column)];
        const int at = placeOf(held, column);
        if (at < 0) return filledColumn(facts.type, facts.scale, place.rows);
        Value elements = part.segment ? part.segment->read(static_cast<int>(place.begin / format::kBlockRows), at)
                                      : sliceOf(part.rows->column(at), place.begin, place.rows);
        if (!isAsHeld(held[static_cast<size_t>(at)], column))
            elements = cast(withoutUnfit(elements, facts.type), facts.type, facts.scale);
        return elements;
    }

    void willRead(int firstBlock, int endBlock, const std::vector<int>& columns) const override {
        for (int b = firstBlock; b < endBlock;) {
            const Block& first = blocks_[static_cast<size_t>(b)];
            const int begin = b;
            while (b < endBlock && blocks_[static_cast<size_t>(b)].part == first.part) ++b;
            const std::shared_ptr<const Segment>& segment = version_->parts[first.part].segment;
            if (!segment) continue;
            const auto from = static_cast<int>(first.begin / format::kBlockRows);
            for (const int column : columns) {
                const int at = placeOf(segment->columns(), column);
                if (at >= 0) segment->willRead(from, from + b - begin, at);
            }
        }
    }

private:
    struct Block {
        size_t part;
        int64_t begin;
        int64_t rows;
    };

    // Returns the position of a column in a part, which is found by its stored name, since parts from before a change
    // of the table's columns have different ones; -1 for a newer column.
    int placeOf(const TableSchema& held, int column) const {
        const std::string& name = schema_.at(static_cast<size_t>(column)).name;
        if (static_cast<size_t>(column) < held.size() && held[static_cast<size_t>(column)].name == name) return column;
        for (size_t c = 0; c < held.size(); ++c) {
            if (held[c].name == name) return static_cast<int>(c);
        }
        return -1;
    }
    // Returns whether the column has the type with which it was stored: replaceColumn! changes it in the catalog only.
    bool isAsHeld(const ColumnSchema& held, int column) const {
        const ColumnSchema& facts = schema_[static_cast<size_t>(column)];
        return held.type == facts.type && held.scale == facts.scale;
    }

    const ChunkVersionRef version_;
    const TableSchema schema_;
    std::vector<Block> blocks_;
};

Value emptyLike(const Value& elements, int64_t capacity) {
    if (elements.isArrayVector()) {
        const ArrayVector& rows = elements.arrayVector();
        return Value::of(makeRef<ArrayVector>(rows.elementType(), rows.scale(), capacity));
    }
    Ref<Vector> column = Vector::make(elements.type(), 0, capacity);
    column->setScale(elements.vector().scale());
    return Value::of(std::move(column));
}

// A reader of the rows of another one in a different order, in blocks of the usual size.
class OrderedReader final : public PartitionReader {
public:
    OrderedReader(std::unique_ptr<PartitionReader> rows, ChunkOrder::Positions positions)
        : rows_(std::move(rows)), positions_(std::move(positions)) {
        int64_t begin = 0;
        for (int b = 0; b < rows_->blockCount(); ++b) {
            begins_.push_back(begin);
            begin += rows_->blockRows(b);
        }
        CHECK(std::ssize(*positions_) <= begin) << "an order names each row of its chunk once at most";
    }

    int64_t rowCount() const override { return static_cast<int64_t>(positions_->size()); }
    int blockCount() const override {
        return static_cast<int>((rowCount() + format::kBlockRows - 1) / format::kBlockRows);
    }
    int64_t blockRows(int block) const override {
        return std::min(format::kBlockRows, rowCount() - block * format::kBlockRows);
    }
    // Returns no bounds: the rows of a block come from anywhere.
    BlockBounds bounds(int, int) const override { return {}; }

    Value read(int block, int column) const override {
        const int32_t* position = positions_->data() + block * format::kBlockRows;
        const int32_t* const end = position + blockRows(block);
        std::vector<Value> sources(begins_.size());
        Value elements;
        while (position < end) {
            const auto source = static_cast<size_t>(
                std::upper_bound(begins_.begin(), begins_.end(), int64_t{*position}) - begins_.begin() - 1);
            if (sources[source].isVoid()) sources[source] = rows_->read(static_cast<int>(source), column);
            const Value& from = sources[source];
            if (elements.isVoid()) elements = emptyLike(from, blockRows(block));
            // Adjacent rows that remain adjacent are copied at once.
            const int64_t first = *position - begins_[source];
            const int64_t most = std::min<int64_t>(end - position, from.size() - first);
            int64_t count = 1;
            while (count < most && position[count] == *position + count) ++count;
            if (from.isArrayVector()) {
                elements.arrayVector().append(*from.arrayVector().slice(first, count));
            } else {
                elements.vector().append(from.vector(), first, count);
            }
            position += count;
        }
        return elements;
    }

    // Any block may need any of the rows, so all are prefetched.
    void willRead(int firstBlock, int, const std::vector<int>& columns) const override {
        if (firstBlock == 0) rows_->willRead(0, rows_->blockCount(), columns);
    }

private:
    const std::unique_ptr<PartitionReader> rows_;
    const ChunkOrder::Positions positions_;
    std::vector<int64_t> begins_;
};

ChunkOrder::Positions findOrder(const PartitionReader& rows, const SortRule& rule) {
    if (rows.rowCount() > INT32_MAX) {
        throw SystemError("A partition with sort columns has more than 2,147,483,647 rows.",
                          "Use a finer partition scheme.");
    }
    std::vector<Value> keys;
    for (const int column : rule.columns) {
        std::vector<Value> blocks(static_cast<size_t>(rows.blockCount()));
        parallelFor(rows.blockCount(),
                    [&](int64_t b) { blocks[static_cast<size_t>(b)] = rows.read(static_cast<int>(b), column); });
        Value all = emptyLike(blocks[0], rows.rowCount());
        for (const Value& elements : blocks) appendElements(all, elements);
        CHECK(all.size() == rows.rowCount()) << "the blocks of a sort column hold all rows of the chunk";
        keys.push_back(std::move(all));
    }
    auto positions = orderedPositions(keys, rule.keep, rows.rowCount());
    return positions ? std::make_shared<const std::vector<int32_t>>(std::move(*positions)) : nullptr;
}

}  // namespace

std::unique_ptr<PartitionReader> makeChunkReader(ChunkVersionRef version, const TableSchema& schema,
                                                 const SortRule& rule) {
    auto rows = std::make_unique<ChunkReader>(version, schema);
    if (!rule.isOrdered() || rows->rowCount() == 0) return rows;
    ChunkOrder::Positions positions = version->order.get([&] { return findOrder(*rows, rule); });
    if (!positions) return rows;
    return std::make_unique<OrderedReader>(std::move(rows), std::move(positions));
}

int64_t countRows(const ChunkVersionRef& version, const TableSchema& schema, const SortRule& rule) {
    if (rule.keep == SortRule::Keep::All) return version->rowCount;
    return makeChunkReader(version, schema, rule)->rowCount();
}

}  // namespace pelorus
