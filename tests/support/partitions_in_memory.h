// PartitionsInMemory is a partitioned table whose partitions are tables in memory, and which counts the blocks that are
// read.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "runtime/partition/partition_function.h"
#include "runtime/partition/partition_scheme.h"
#include "runtime/table/table.h"

namespace pelorus::testing {

// Numbers of opened partitions and read blocks; a test resets them.
struct ReadCounts {
    std::atomic<int> opened{0};
    std::atomic<int> blocks{0};
};

// Returns the minimum and maximum of the elements that are not NULL, by a scan of all.
inline BlockBounds boundsOf(const Vector& elements) {
    BlockBounds bounds{.known = true, .min = {}, .max = {}, .nullCount = 0};
    const auto isBefore = [&](int64_t a, int64_t b) {
        if (isLiteral(elements.type())) return elements.string(a) < elements.string(b);
        return isFloating(elements.type()) ? elements.asDouble(a) < elements.asDouble(b)
                                           : elements.asLong(a) < elements.asLong(b);
    };
    int64_t least = -1, greatest = -1;
    for (int64_t i = 0; i < elements.size(); ++i) {
        if (elements.isNullAt(i)) {
            ++bounds.nullCount;
            continue;
        }
        if (least < 0 || isBefore(i, least)) least = i;
        if (greatest < 0 || isBefore(greatest, i)) greatest = i;
    }
    bounds.min = least < 0 ? Value::nullOf(elements.type()) : elements.at(least);
    bounds.max = least < 0 ? Value::nullOf(elements.type()) : elements.at(greatest);
    return bounds;
}

class PartitionInMemory final : public PartitionReader {
public:
    PartitionInMemory(Ref<MemoryTable> rows, int64_t rowsOfBlock, ReadCounts& counts)
        : rows_(std::move(rows)), rowsOfBlock_(rowsOfBlock), counts_(counts) {
        ++counts_.opened;
    }

    int64_t rowCount() const override { return rows_->rowCount(); }
    int blockCount() const override { return static_cast<int>((rowCount() + rowsOfBlock_ - 1) / rowsOfBlock_); }
    int64_t blockRows(int block) const override { return std::min(rowsOfBlock_, rowCount() - block * rowsOfBlock_); }
    BlockBounds bounds(int block, int column) const override { return boundsOf(*elements(block, column)); }
    Value read(int block, int column) const override {
        ++counts_.blocks;
        return Value::of(elements(block, column));
    }

private:
    Ref<Vector> elements(int block, int column) const {
        return rows_->column(column).vector().slice(block * rowsOfBlock_, blockRows(block));
    }

    const Ref<MemoryTable> rows_;
    const int64_t rowsOfBlock_;
    ReadCounts& counts_;
};

// The table. Rows that no partition takes are dropped, as by a database.
class PartitionsInMemory final : public PartitionedTable {
public:
    // Partitions are listed in the order of the scheme, or backwards as a catalog may have them.
    enum class Listed : uint8_t { InOrder, Backwards };

    PartitionsInMemory(PartitionScheme scheme, std::vector<std::string> partitionColumns, const Ref<MemoryTable>& rows,
                       PartitionFunctions functions = {}, Listed listed = Listed::InOrder, int64_t rowsOfBlock = 65536)
        : scheme_(std::move(scheme)),
          partitionColumns_(std::move(partitionColumns)),
          functions_(std::move(functions)),
          schema_(rows->columns()),
          listed_(listed),
          rowsOfBlock_(rowsOfBlock) {
        std::vector<Value> keys;
        std::vector<const Vector*> columns;
        for (size_t l = 0; l < partitionColumns_.size(); ++l) {
            const PartitionFunction* function = partitionFunction(l);
            const Value& column = *rows->column(partitionColumns_[l]);
            keys.push_back(function ? function->keys(column) : column);
        }
        for (const Value& key : keys) columns.push_back(&key.vector());
        std::vector<int64_t> places(static_cast<size_t>(rows->rowCount()));
        scheme_.place(columns, places.data());
        std::map<int64_t, std::vector<int32_t>> positions;
        for (size_t i = 0; i < places.size(); ++i) {
            if (places[i] >= 0) positions[places[i]].push_back(static_cast<int32_t>(i));
        }
        for (const auto& [place, chosen] : positions) {
            const std::vector<int> index = scheme_.unflatten(place);
            entries_.push_back({.path = scheme_.path(index), .index = index, .node = {}});
            parts_.push_back(rows->gather(chosen.data(), static_cast<int64_t>(chosen.size())));
        }
        if (listed_ == Listed::Backwards) {
            std::reverse(entries_.begin(), entries_.end());
            std::reverse(parts_.begin(), parts_.end());
        }
    }

    const TableSchema& columns() const override { return schema_; }
    int64_t rowCount() const override {
        int64_t rows = 0;
        for (const Ref<MemoryTable>& part : parts_) rows += part->rowCount();
        return rows;
    }
    const std::string& databasePath() const override { return path_; }
    const PartitionScheme& scheme() const override { return scheme_; }
    const std::vector<std::string>& partitionColumns() const override { return partitionColumns_; }
    const PartitionFunction* partitionFunction(size_t level) const override { return functionOf(functions_, level); }
    std::string textIndexOf(int column) const override {
        return schema_[static_cast<size_t>(column)].name == searched ? "textindex(parser=english)" : "";
    }
    AppendReport append(const MemoryTable&) override { throw InternalError("These partitions stay as they are."); }
    std::shared_ptr<TableSnapshot> takeSnapshot(uint64_t) const override { return std::make_shared<Snapshot>(*this); }

    const std::vector<Ref<MemoryTable>>& parts() const { return parts_; }

    mutable ReadCounts counts;
    std::string searched;  // the column that has a text index

private:
    class Snapshot final : public TableSnapshot {
    public:
        explicit Snapshot(const PartitionsInMemory& table) : table_(&table) {}
        uint64_t number() const override { return 1; }
        const std::vector<PartitionEntry>& partitions() const override { return table_->entries_; }
        bool isInSchemeOrder() const override { return table_->listed_ == Listed::InOrder; }
        std::unique_ptr<PartitionReader> open(size_t partition) const override {
            return std::make_unique<PartitionInMemory>(table_->parts_[partition], table_->rowsOfBlock_, table_->counts);
        }

    private:
        const Ref<const PartitionsInMemory> table_;
    };

    const PartitionScheme scheme_;
    const std::vector<std::string> partitionColumns_;
    const PartitionFunctions functions_;
    const TableSchema schema_;
    const Listed listed_;
    const int64_t rowsOfBlock_;
    const std::string path_;
    std::vector<PartitionEntry> entries_;
    std::vector<Ref<MemoryTable>> parts_;
};

}  // namespace pelorus::testing
