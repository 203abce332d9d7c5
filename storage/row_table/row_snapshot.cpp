#include "storage/row_table/row_snapshot.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/check.h"
#include "common/error.h"
#include "runtime/append/empty_text.h"
#include "runtime/value/vector.h"
#include "storage/commit/stored_transaction.h"
#include "storage/folder/local_storage.h"
#include "storage/row_table/row_cells.h"
#include "storage/rows/index_key.h"
#include "storage/rows/row_store.h"

namespace pelorus {
namespace {

constexpr size_t kPagesPerBlock = 64;
constexpr size_t kRowsPerBlock = 65'536;
// Rows that an index finds are read one by one, which takes as long as a scan where they are more than this part of
// all rows.
constexpr size_t kScannedForOne = 64;
constexpr size_t kAlwaysFound = 1024;

// What the readers of a snapshot share.
struct Shown {
    const RowStore& store;  // of the storage that the snapshot keeps open
    std::shared_ptr<StoredRows> rows;
    RowView view;
    std::shared_ptr<const RowShape> shape;
};

// A reader of all rows, whose blocks are runs of pages.
class AllRowsReader final : public PartitionReader {
public:
    explicit AllRowsReader(Shown shown) : shown_(std::move(shown)), pages_(shown_.rows->part->pages()) {
        for (size_t begin = 0; begin < pages_.size(); begin += kPagesPerBlock) {
            int64_t count = 0;
            const size_t end = std::min(begin + kPagesPerBlock, pages_.size());
            for (size_t page = begin; page < end; ++page) count += pages_[page]->rowCount(shown_.view);
            if (count == 0) continue;
            blocks_.push_back({begin, end, count});
            rowCount_ += count;
        }
    }

    int64_t rowCount() const override { return rowCount_; }
    int blockCount() const override { return static_cast<int>(blocks_.size()); }
    int64_t blockRows(int block) const override { return blocks_[static_cast<size_t>(block)].rows; }
    BlockBounds bounds(int, int) const override { return {}; }
    Value read(int block, int column) const override {
        const Block& pages = blocks_[static_cast<size_t>(block)];
        const ColumnSchema& schema = shown_.shape->schema[static_cast<size_t>(column)];
        const Ref<Vector> values = Vector::make(schema.type, pages.rows);
        values->setScale(schema.scale);
        int64_t at = 0;
        for (size_t page = pages.begin; page < pages.end; ++page)
            at +=
                pages_[page]->copyColumn(shown_.view, shown_.shape->ordinals[static_cast<size_t>(column)], *values, at);
        shown_.store.requireKept(shown_.view.number);
        CHECK(at == pages.rows) << "a snapshot has the same rows at each look";
        if (!shown_.shape->showsEmptyTexts) nullEmptyTexts(*values);
        return Value::of(values);
    }

private:
    struct Block {
        size_t begin, end;  // pages
        int64_t rows;
    };
    const Shown shown_;
    const std::vector<const RowPage*> pages_;
    std::vector<Block> blocks_;
    int64_t rowCount_ = 0;
};

// Writes a cell of a row into a column in memory.
void setCell(Vector& column, int64_t at, RowCell cell) {
    if (storageOf(column.type()) == Storage::String) return column.setString(at, cell);
    std::memcpy(column.mutableRaw() + static_cast<size_t>(at) * static_cast<size_t>(column.width()), cell.data(),
                cell.size());
}

// A reader of the rows with given ids that the snapshot has, one by one.
class FoundRowsReader final : public PartitionReader {
public:
    FoundRowsReader(Shown shown, const std::vector<uint64_t>& candidates) : shown_(std::move(shown)) {
        RowCells none;
        for (const uint64_t row : candidates)
            if (shown_.rows->part->read(row, shown_.view, {}, none)) ids_.push_back(row);
        shown_.store.requireKept(shown_.view.number);
    }

    int64_t rowCount() const override { return static_cast<int64_t>(ids_.size()); }
    int blockCount() const override { return static_cast<int>((ids_.size() + kRowsPerBlock - 1) / kRowsPerBlock); }
    int64_t blockRows(int block) const override {
        const size_t begin = static_cast<size_t>(block) * kRowsPerBlock;
        return static_cast<int64_t>(std::min(kRowsPerBlock, ids_.size() - begin));
    }
    BlockBounds bounds(int, int) const override { return {}; }
    Value read(int block, int column) const override {
        const ColumnSchema& schema = shown_.shape->schema[static_cast<size_t>(column)];
        const int64_t count = blockRows(block);
        const Ref<Vector> values = Vector::make(schema.type, count);
        values->setScale(schema.scale);
        const std::vector<int> wanted = {shown_.shape->ordinals[static_cast<size_t>(column)]};
        const uint64_t* const ids = ids_.data() + static_cast<size_t>(block) * kRowsPerBlock;
        RowCells cells;
        for (int64_t i = 0; i < count; ++i) {
            cells.clear();
            const bool isThere = shown_.rows->part->read(ids[i], shown_.view, wanted, cells);
            if (!isThere) shown_.store.requireKept(shown_.view.number);
            CHECK(isThere) << "a snapshot has the same rows at each look";
            setCell(*values, i, cells[0]);
        }
        shown_.store.requireKept(shown_.view.number);
        if (!shown_.shape->showsEmptyTexts) nullEmptyTexts(*values);
        return Value::of(values);
    }

private:
    const Shown shown_;
    std::vector<uint64_t> ids_;
};

}  // namespace

RowShape::RowShape(const TableEntry& entry, std::string path, bool showsEmptyTexts)
    : table(entry.id),
      revision(entry.revision),
      schema(entry.storedSchema()),
      ordinals(ordinalsOf(entry)),
      indexes(indexesOf(entry)),
      partitions{{std::move(path), {}, ""}},
      showsEmptyTexts(showsEmptyTexts) {}

RowSnapshot::RowSnapshot(std::shared_ptr<LocalStorage> storage, std::shared_ptr<const RowShape> shape, uint64_t pinned,
                         const RowView& view)
    : storage_(std::move(storage)),
      pin_(storage_->versions(), pinned),
      view_{view.number == 0 ? pin_.number() : view.number, view.own},
      rows_(storage_->rows().find(shape->table)),
      shape_(std::move(shape)) {
    if (!storage_->rows().reads().keeps(pin_.number())) throw snapshotTooOld(pin_.number());
}

RowSnapshot::~RowSnapshot() = default;

const std::vector<PartitionEntry>& RowSnapshot::partitions() const {
    static const std::vector<PartitionEntry> none;
    return rows_ ? shape_->partitions : none;
}

std::unique_ptr<PartitionReader> RowSnapshot::open(size_t) const {
    return std::make_unique<AllRowsReader>(Shown{storage_->rows(), rows_, view_, shape_});
}

// Makes the indexes of a table that nobody has changed since the start, unless its definition is being changed.
void RowSnapshot::makeIndexes() const {
    const auto reader = storage_->beginTransaction({});
    try {
        reader->lockTable(shape_->table, LockMode::AccessShare, false);
    } catch (const UserError&) {
        return;
    }
    const MutexLock one(rows_->indexing);
    if (rows_->indexRevision != 0) return;
    rows_->part->setIndexes(shape_->indexes, reader->awaitDurable());
    rows_->indexRevision = shape_->revision;
}

// Returns the constraints that indexes can tell: where '' is shown as NULL, no index knows both as one.
std::vector<ColumnConstraint> RowSnapshot::told(const std::vector<ColumnConstraint>& constraints) const {
    if (shape_->showsEmptyTexts) return constraints;
    std::vector<ColumnConstraint> told;
    for (const ColumnConstraint& c : constraints) {
        const bool isText = shape_->schema[static_cast<size_t>(c.column)].type == Type::String;
        const bool namesNull = (!c.low.isVoid() && c.low.isNull()) || (!c.high.isVoid() && c.high.isNull()) ||
                               std::any_of(c.anyOf.begin(), c.anyOf.end(), [](const Value& v) { return v.isNull(); });
        if (!isText || !namesNull) told.push_back(c);
    }
    return told;
}

std::optional<IndexChoice> RowSnapshot::choose(const RowPart::Indexes& indexes,
                                               const std::vector<ColumnConstraint>& constraints) const {
    std::vector<RowIndexDefinition> definitions;
    for (const auto& index : indexes) {
        definitions.push_back(index->definition());
        // It lacks versions that this snapshot may show.
        if (index->validFrom() > view_.number) definitions.back().columns.clear();
    }
    return chooseIndex(definitions, shape_->schema, shape_->ordinals, constraints);
}

std::optional<std::vector<uint64_t>> RowSnapshot::candidates(const std::vector<ColumnConstraint>& given) const {
    const std::vector<ColumnConstraint> constraints = told(given);
    if (!rows_ || constraints.empty()) return {};
    // Those of a table that nobody has needed since the start are made with the first look.
    if (rows_->indexRevision == 0 && chooseIndex(shape_->indexes, shape_->schema, shape_->ordinals, constraints))
        makeIndexes();
    const std::shared_ptr<const RowPart::Indexes> indexes = rows_->part->indexes();
    const std::optional<IndexChoice> choice = choose(*indexes, constraints);
    if (!choice) return {};
    const size_t few = std::max(kAlwaysFound, static_cast<size_t>(rows_->part->endOfRows()) / kScannedForOne);
    return rowsInRanges(*(*indexes)[choice->index], choice->ranges, few);
}

std::unique_ptr<PartitionReader> RowSnapshot::find(size_t, const std::vector<ColumnConstraint>& constraints) const {
    const std::optional<std::vector<uint64_t>> found = candidates(constraints);
    if (!found) return nullptr;
    return std::make_unique<FoundRowsReader>(Shown{storage_->rows(), rows_, view_, shape_}, *found);
}

std::optional<IndexedSnapshot::Index> RowSnapshot::indexFor(const std::vector<ColumnConstraint>& given) const {
    const std::vector<ColumnConstraint> constraints = told(given);
    if (!rows_ || constraints.empty()) return {};
    const std::shared_ptr<const RowPart::Indexes> indexes = rows_->part->indexes();
    const bool isMade = rows_->indexRevision != 0;
    const std::optional<IndexChoice> choice =
        isMade ? choose(*indexes, constraints)
               : chooseIndex(shape_->indexes, shape_->schema, shape_->ordinals, constraints);
    if (!choice) return {};
    const RowIndexDefinition& definition =
        isMade ? (*indexes)[choice->index]->definition() : shape_->indexes[choice->index];
    Index index{definition.name, {}};
    for (size_t i = 0; i < choice->columns; ++i) {
        const auto at = std::find(shape_->ordinals.begin(), shape_->ordinals.end(), definition.columns[i]);
        index.columns.push_back(static_cast<int>(at - shape_->ordinals.begin()));
    }
    return index;
}

std::optional<std::vector<Value>> RowSnapshot::lookUp(const std::vector<ColumnConstraint>& equalities,
                                                      const std::vector<int>& columns) const {
    if (told(equalities).size() != equalities.size()) return {};
    // What a cell of each column must be as part of a key.
    std::vector<std::string> parts;
    std::vector<int> ordinals;
    for (const ColumnConstraint& equality : equalities) {
        const auto column = static_cast<size_t>(equality.column);
        const std::optional<std::string> part = keyPartOf(shape_->schema[column], equality.anyOf.at(0));
        if (!part) return {};
        parts.push_back(*part);
        ordinals.push_back(shape_->ordinals[column]);
    }
    const std::optional<std::vector<uint64_t>> found = candidates(equalities);
    if (!found || found->size() > kAlwaysFound) return {};
    for (const int column : columns) ordinals.push_back(shape_->ordinals[static_cast<size_t>(column)]);
    std::vector<RowCells> rows;
    for (const uint64_t row : *found) {
        RowCells cells;
        if (!rows_->part->read(row, view_, ordinals, cells)) continue;
        bool isEqual = true;
        for (size_t i = 0; isEqual && i < parts.size(); ++i) {
            std::string own;
            appendKeyPart(rowColumnOf(shape_->schema[static_cast<size_t>(equalities[i].column)]), cells[i], own);
            isEqual = own == parts[i];
        }
        if (isEqual) rows.push_back(std::move(cells));
    }
    storage_->rows().requireKept(view_.number);
    return columnsOf(rows, columns, parts.size());
}

std::optional<std::vector<Value>> RowSnapshot::readFew(const std::vector<ColumnConstraint>& constraints,
                                                       const std::vector<int>& columns) const {
    const std::optional<std::vector<uint64_t>> found = candidates(constraints);
    if (!found || found->size() > kAlwaysFound) return {};
    std::vector<int> ordinals;
    for (const int column : columns) ordinals.push_back(shape_->ordinals[static_cast<size_t>(column)]);
    std::vector<RowCells> rows(found->size());
    size_t count = 0;
    for (const uint64_t row : *found)
        if (rows_->part->read(row, view_, ordinals, rows[count])) ++count;
    rows.resize(count);
    storage_->rows().requireKept(view_.number);
    return columnsOf(rows, columns, 0);
}

// Returns the columns of cells, which in each row begin at the place `first`.
std::vector<Value> RowSnapshot::columnsOf(const std::vector<RowCells>& rows, const std::vector<int>& columns,
                                          size_t first) const {
    std::vector<Value> values;
    for (size_t c = 0; c < columns.size(); ++c) {
        const ColumnSchema& schema = shape_->schema[static_cast<size_t>(columns[c])];
        const Ref<Vector> column = Vector::make(schema.type, static_cast<int64_t>(rows.size()));
        column->setScale(schema.scale);
        for (size_t row = 0; row < rows.size(); ++row)
            setCell(*column, static_cast<int64_t>(row), rows[row][first + c]);
        if (!shape_->showsEmptyTexts) nullEmptyTexts(*column);
        values.push_back(Value::of(column));
    }
    return values;
}

}  // namespace pelorus
