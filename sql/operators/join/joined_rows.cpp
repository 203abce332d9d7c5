#include "sql/operators/join/joined_rows.h"

#include <algorithm>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "runtime/value/array_vector.h"
#include "sql/plan/join_function.h"
#include "sql/plan/memory_snapshot.h"
#include "sql/spill/spilled_parts.h"

namespace pelorus {

namespace {

bool holds(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

class JoinedReader final : public PartitionReader {
public:
    explicit JoinedReader(Ref<const JoinedRows> rows) : rows_(std::move(rows)) {}

    int64_t rowCount() const override { return rows_->rowCount(); }
    int blockCount() const override { return static_cast<int>((rowCount() + kMemoryBlockRows - 1) / kMemoryBlockRows); }
    int64_t blockRows(int block) const override {
        return std::min(kMemoryBlockRows, rowCount() - block * kMemoryBlockRows);
    }
    BlockBounds bounds(int, int) const override { return {}; }
    Value read(int block, int column) const override {
        return rows_->items(column, block * kMemoryBlockRows, blockRows(block));
    }

private:
    Ref<const JoinedRows> rows_;
};

class JoinedSnapshot final : public OnePartition {
public:
    explicit JoinedSnapshot(Ref<const JoinedRows> rows) : rows_(std::move(rows)) {}

    std::unique_ptr<PartitionReader> open(size_t partition) const override {
        CHECK(partition == 0) << "joined rows are one partition";
        return std::make_unique<JoinedReader>(rows_);
    }
    Value column(int column, int64_t rows) const override { return rows_->items(column, 0, rows); }
    void requireRoom(int64_t rows, const TableSchema& columns) const override { rows_->requireRoom(rows, columns); }

private:
    const Ref<const JoinedRows> rows_;
};

}  // namespace

JoinedRows::JoinedRows(Ref<MemoryTable> left, Ref<MemoryTable> right, const LeftOutColumns& leftOut,
                       const JoinedColumns& shown)
    : sides_{std::move(left), std::move(right)} {
    const MemoryTable &first = *sides_[0], &second = *sides_[1];
    auto isRead = [&](const std::string& name) { return !shown.isRead || name.starts_with(' ') || shown.isRead(name); };
    for (int c = 0; c < first.columnCount(); ++c) {
        const std::string& name = first.columns()[static_cast<size_t>(c)].name;
        if (!holds(leftOut.left, name) && isRead(name)) show(0, c, name);
    }
    for (int c = 0; c < second.columnCount(); ++c) {
        const std::string& name = second.columns()[static_cast<size_t>(c)].name;
        if (holds(leftOut.right, name)) continue;
        const bool isTaken = first.findColumn(name) >= 0 && !holds(leftOut.left, name);
        const std::string called = joinedName(name, shown.rightName, isTaken);
        if (isRead(called)) show(1, c, called);
    }
    if (!shown.hiddenPrefix.empty()) {
        CHECK(shown.hiddenPrefix.starts_with(' ')) << "no script can write the name of a hidden column";
        for (const std::string& key : leftOut.left) show(0, first.findColumn(key), shown.hiddenPrefix + key);
        for (const std::string& key : leftOut.right) show(1, second.findColumn(key), shown.hiddenPrefix + key);
    }
    // The caller may only count the rows.
    if (columns_.empty()) show(0, 0, first.columns()[0].name);
}

JoinedRows::JoinedRows(std::vector<Ref<MemoryTable>> sides, const std::vector<std::string>& names,
                       std::vector<Column> columns)
    : sides_(std::move(sides)) {
    CHECK(!columns.empty() && names.size() == columns.size()) << "each column of a join has a name";
    for (size_t i = 0; i < columns.size(); ++i) show(columns[i].side, columns[i].number, names[i]);
    CHECK(columns_.size() == columns.size()) << "the names of joined columns are unique";
}

void JoinedRows::show(size_t side, int number, std::string name) {
    CHECK(number >= 0) << "a joined column is a column of its side";
    const ColumnSchema& source = sides_[side]->columns()[static_cast<size_t>(number)];
    ColumnSchema column{std::move(name), source.type, source.scale, {}};
    // A duplicate name denotes the later column, as in a table that is made column by column.
    const auto known =
        std::find_if(schema_.begin(), schema_.end(), [&](const auto& c) { return c.name == column.name; });
    if (known != schema_.end()) {
        columns_[static_cast<size_t>(known - schema_.begin())] = {side, number};
        *known = std::move(column);
        return;
    }
    schema_.push_back(std::move(column));
    columns_.push_back({side, number});
}

Value JoinedRows::items(int column, int64_t begin, int64_t count) const {
    checkCancelled();
    CHECK(begin >= 0 && count >= 0 && begin + count <= rowCount()) << "joined rows are read within their count";
    CHECK(column >= 0 && column < std::ssize(columns_)) << "columns are read by their numbers";
    const Column& source = columns_[static_cast<size_t>(column)];
    const Value& items = sides_[source.side]->column(source.number);
    RowNumbers room;
    if (const int32_t* rows = sourceRows(source.side, begin, count, room)) return gatherElements(items, rows, count);
    if (begin == 0 && count == items.size()) return items;
    if (items.isArrayVector()) return Value::of(items.arrayVector().slice(begin, count));
    return Value::of(items.vector().slice(begin, count));
}

Ref<MemoryTable> JoinedRows::rows(Context&) {
    requireRoom(rowCount(), schema_);
    auto result = makeRef<MemoryTable>();
    for (size_t c = 0; c < schema_.size(); ++c)
        result->setColumn(schema_[c].name, items(static_cast<int>(c), 0, rowCount()));
    return result;
}

std::shared_ptr<TableSnapshot> JoinedRows::snapshot() const {
    return std::make_shared<JoinedSnapshot>(Ref<const JoinedRows>(this));
}

bool JoinedRows::hasBlocks() const {
    return SpilledParts::canHold(schema_);
}

MatchedRows::MatchedRows(Ref<MemoryTable> left, Ref<MemoryTable> right, SideRows leftRows, SideRows rightRows,
                         const LeftOutColumns& leftOut, const JoinedColumns& shown)
    : JoinedRows(std::move(left), std::move(right), leftOut, shown),
      leftRows_(std::move(leftRows)),
      rightRows_(std::move(rightRows)),
      rowCount_(static_cast<int64_t>(leftRows_.all ? rightRows_.rows.size() : leftRows_.rows.size())) {
    for (const auto* side : {&leftRows_, &rightRows_})
        CHECK(side->all || static_cast<int64_t>(side->rows.size()) == rowCount_)
            << "both sides name a row for each pair";
}

const int32_t* MatchedRows::sourceRows(size_t side, int64_t begin, int64_t, RowNumbers&) const {
    const SideRows& of = side == 0 ? leftRows_ : rightRows_;
    return of.all ? nullptr : of.rows.data() + begin;
}

}  // namespace pelorus
