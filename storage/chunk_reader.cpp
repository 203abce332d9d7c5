// Reads one version of a chunk: its segments block by block, then the runs in memory as blocks of their own; or, when
// its table has sort columns and the runs overlap, merged.
#include <algorithm>

#include "common/error.h"
#include "storage/local_table.h"

namespace pelorus {

namespace {

class ChunkReader final : public PartitionReader {
public:
    ChunkReader(ChunkVersionRef version, const TableSchema& schema) : version_(std::move(version)), schema_(schema) {
        if (!version_) return;
        for (size_t p = 0; p < version_->parts.size(); ++p) {
            const ChunkPart& part = version_->parts[p];
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
        if (at < 0) return {};
        return part.segment->bounds(static_cast<int>(place.begin / format::kBlockRows), at);
    }

    Ref<Vector> read(int block, int column) const override {
        const Block& place = blocks_[static_cast<size_t>(block)];
        const ChunkPart& part = version_->parts[place.part];
        const int at = placeOf(part.segment ? part.segment->columns() : part.rows->columns(), column);
        if (at < 0) return missing(column, place.rows);
        if (part.segment) return part.segment->read(static_cast<int>(place.begin / format::kBlockRows), at);
        Vector& items = part.rows->column(at).vector();
        if (place.begin == 0 && place.rows == items.size()) return Ref<Vector>(&items);
        return items.slice(place.begin, place.rows);
    }

private:
    struct Block {
        size_t part;
        int64_t begin;
        int64_t rows;
    };

    // Parts from before a change of the table's columns hold others: they are found by the name of storage, -1 for one
    // that came later.
    int placeOf(const TableSchema& held, int column) const {
        const std::string& name = schema_.at(static_cast<size_t>(column)).name;
        if (static_cast<size_t>(column) < held.size() && held[static_cast<size_t>(column)].name == name) return column;
        for (size_t c = 0; c < held.size(); ++c) {
            if (held[c].name == name) return static_cast<int>(c);
        }
        return -1;
    }
    Ref<Vector> missing(int column, int64_t rows) const {
        const ColumnSchema& facts = schema_[static_cast<size_t>(column)];
        const Value nulls = filledColumn(facts.type, facts.scale, rows);
        return Ref<Vector>(&nulls.vector());
    }

    const ChunkVersionRef version_;
    const TableSchema schema_;
    std::vector<Block> blocks_;
};

// The rows of another reader in another order, in blocks of the usual size.
class OrderedReader final : public PartitionReader {
public:
    OrderedReader(std::unique_ptr<PartitionReader> rows, ChunkOrder::Positions positions)
        : rows_(std::move(rows)), positions_(std::move(positions)) {
        int64_t begin = 0;
        for (int b = 0; b < rows_->blockCount(); ++b) {
            begins_.push_back(begin);
            begin += rows_->blockRows(b);
        }
    }

    int64_t rowCount() const override { return static_cast<int64_t>(positions_->size()); }
    int blockCount() const override {
        return static_cast<int>((rowCount() + format::kBlockRows - 1) / format::kBlockRows);
    }
    int64_t blockRows(int block) const override {
        return std::min(format::kBlockRows, rowCount() - block * format::kBlockRows);
    }
    // Its rows come from anywhere.
    BlockBounds bounds(int, int) const override { return {}; }

    Ref<Vector> read(int block, int column) const override {
        const int32_t* position = positions_->data() + block * format::kBlockRows;
        const int32_t* const end = position + blockRows(block);
        std::vector<Ref<Vector>> sources(begins_.size());
        Ref<Vector> items;
        while (position < end) {
            const auto source = static_cast<size_t>(
                std::upper_bound(begins_.begin(), begins_.end(), int64_t{*position}) - begins_.begin() - 1);
            if (!sources[source]) sources[source] = rows_->read(static_cast<int>(source), column);
            const Vector& from = *sources[source];
            if (!items) {
                items = Vector::make(from.type(), 0, blockRows(block));
                items->setScale(from.scale());
            }
            // Neighbours that stay neighbours are copied at once.
            const int64_t first = *position - begins_[source];
            int64_t count = 1;
            while (position + count < end && position[count] == *position + count && first + count < from.size())
                ++count;
            items->append(from, first, count);
            position += count;
        }
        return items;
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
        Ref<Vector> all;
        for (int b = 0; b < rows.blockCount(); ++b) {
            const Ref<Vector> items = rows.read(b, column);
            if (!all) {
                all = Vector::make(items->type(), 0, rows.rowCount());
                all->setScale(items->scale());
            }
            all->append(*items, 0, items->size());
        }
        keys.push_back(Value::of(std::move(all)));
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
