#include "storage/table/row_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/check.h"
#include "common/error.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/row_commit.h"
#include "storage/rows/index_key.h"
#include "storage/rows/row_key_index.h"
#include "storage/rows/row_store.h"
#include "storage/table/row_cells.h"
#include "storage/table/row_checks.h"
#include "storage/table/row_facts.h"
#include "storage/version/version_set.h"

namespace pelorus {
namespace {

constexpr int kPagesPerBlock = 64;

// Returns the types of all columns that pages have: those that were dropped keep the type that rows have.
RowColumns pageColumns(const TableEntry& entry, const RowStore& store) {
    RowColumns columns;
    if (const auto rows = store.find(entry.id)) columns = rows->part->columns();
    const TableSchema stored = entry.storedSchema();
    const std::vector<int> ordinals = ordinalsOf(entry);
    const RowColumns types = rowColumnsOf(stored);
    columns.resize(std::max(columns.size(), entry.rowTable->columns.size()), RowColumn{Type::Bool, 0});
    for (size_t i = 0; i < ordinals.size(); ++i) columns[static_cast<size_t>(ordinals[i])] = types[i];
    return columns;
}

// Returns whether the rows have the columns of the table, under their stored names and in its order.
bool isBoundTo(const MemoryTable& rows, const TableEntry& entry) {
    if (rows.columnCount() != static_cast<int>(entry.schema.size())) return false;
    for (int c = 0; c < rows.columnCount(); ++c) {
        if (rows.columns()[static_cast<size_t>(c)].name != entry.storedNameOf(static_cast<size_t>(c))) return false;
    }
    return true;
}

// The rows of a part, whose blocks are runs of pages.
class RowReader final : public PartitionReader {
public:
    RowReader(std::shared_ptr<StoredRows> rows, std::vector<const RowPage*> pages, uint64_t number, TableSchema schema,
              std::vector<int> ordinals)
        : rows_(std::move(rows)),
          pages_(std::move(pages)),
          view_{number},
          schema_(std::move(schema)),
          ordinals_(std::move(ordinals)) {
        for (size_t begin = 0; begin < pages_.size(); begin += kPagesPerBlock) {
            int64_t count = 0;
            const size_t end = std::min(begin + kPagesPerBlock, pages_.size());
            for (size_t page = begin; page < end; ++page) count += pages_[page]->rowCount(view_);
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
        const ColumnSchema& schema = schema_[static_cast<size_t>(column)];
        const Ref<Vector> values = Vector::make(schema.type, pages.rows);
        values->setScale(schema.scale);
        int64_t at = 0;
        for (size_t page = pages.begin; page < pages.end; ++page)
            at += pages_[page]->copyColumn(view_, ordinals_[static_cast<size_t>(column)], *values, at);
        CHECK(at == pages.rows) << "a snapshot has the same rows at each look";
        return Value::of(values);
    }

private:
    struct Block {
        size_t begin, end;  // pages
        int64_t rows;
    };
    const std::shared_ptr<StoredRows> rows_;
    const std::vector<const RowPage*> pages_;
    const RowView view_;
    const TableSchema schema_;
    const std::vector<int> ordinals_;
    std::vector<Block> blocks_;
    int64_t rowCount_ = 0;
};

// A snapshot: by its Pin the before-images that it needs stay.
class RowSnapshot final : public TableSnapshot {
public:
    RowSnapshot(std::shared_ptr<LocalStorage> storage, const TableEntry& entry, const std::string& path,
                uint64_t number)
        : storage_(std::move(storage)),
          pin_(storage_->versions(), number),
          rows_(storage_->rows().find(entry.id)),
          schema_(entry.storedSchema()),
          ordinals_(ordinalsOf(entry)),
          revision_(entry.revision) {
        if (!storage_->rows().reads().keeps(pin_.number())) {
            throw SystemError(fmt::format("The snapshot {} is no longer kept.", pin_.number()), "Run the query again.",
                              true);
        }
        if (!rows_) return;
        pages_ = rows_->part->pages();
        partitions_.push_back({path, {}, ""});
    }

    uint64_t number() const override { return pin_.number(); }
    const std::vector<PartitionEntry>& partitions() const override { return partitions_; }
    bool isInSchemeOrder() const override { return true; }
    std::unique_ptr<PartitionReader> open(size_t) const override {
        return std::make_unique<RowReader>(rows_, pages_, pin_.number(), schema_, ordinals_);
    }
    const std::shared_ptr<StoredRows>& rows() const { return rows_; }
    // Returns the revision of the entry whose columns the snapshot has.
    uint64_t revision() const { return revision_; }

private:
    const std::shared_ptr<LocalStorage> storage_;
    const VersionSet::Pin pin_;
    const std::shared_ptr<StoredRows> rows_;  // null: no row was ever written
    const TableSchema schema_;
    const std::vector<int> ordinals_;
    const uint64_t revision_;
    std::vector<const RowPage*> pages_;
    std::vector<PartitionEntry> partitions_;
};

// Returns the index whose first columns have given values, most of them, and the key of these values; null for none
// that a reader at the number may use.
std::pair<std::shared_ptr<RowKeyIndex>, std::string> bestIndex(const RowPart::Indexes& indexes,
                                                               const std::vector<int>& ordinals,
                                                               const std::vector<RowAccess::Equality>& equalities,
                                                               uint64_t number) {
    std::shared_ptr<RowKeyIndex> best;
    std::string bestKey;
    size_t bestColumns = 0;
    for (const auto& index : indexes) {
        if (index->validFrom() > number) continue;
        RowCells cells;
        for (const int ordinal : index->definition().columns) {
            const auto given = std::find_if(equalities.begin(), equalities.end(), [&](const auto& equality) {
                return ordinals[static_cast<size_t>(equality.first)] == ordinal;
            });
            if (given == equalities.end()) break;
            cells.add(cellOf(given->second.vector(), 0));
        }
        if (cells.size() <= bestColumns) continue;
        best = index;
        bestColumns = cells.size();
        bestKey = index->keyOf(cells);
    }
    return {best, bestKey};
}

// Returns the equalities with vectors of one element of the columns' types in place of the values; those whose values
// do not fit are left out.
std::vector<RowAccess::Equality> typedEqualities(const std::vector<RowAccess::Equality>& equalities,
                                                 const TableSchema& schema) {
    std::vector<RowAccess::Equality> typed;
    for (const auto& [column, value] : equalities) {
        const ColumnSchema& to = schema[static_cast<size_t>(column)];
        if (value.type() != to.type || storageOf(to.type) == Storage::None) continue;
        const Ref<Vector> one = Vector::filled(to.type, 1, value);
        if (one->scale() == to.scale) typed.emplace_back(column, Value::of(one));
    }
    return typed;
}

}  // namespace

RowTable::RowTable(std::shared_ptr<LocalStorage> storage, DatabaseEntry database, TableEntry entry)
    : CatalogTable(storage->catalog(), std::move(database), std::move(entry), {}), storage_(std::move(storage)) {}

int64_t RowTable::rowCount() const {
    const std::shared_ptr<TableSnapshot> snapshot = takeSnapshot();
    return snapshot->partitions().empty() ? 0 : snapshot->open(0)->rowCount();
}

std::shared_ptr<TableSnapshot> RowTable::takeSnapshot(uint64_t number) const {
    std::shared_ptr<void> held = heldEntry(number == 0);
    // Pages have all columns of the entry before they are read by it.
    if (const auto rows = storage_->rows().find(entry().id);
        rows && rows->part->columns().size() < entry().rowTable->columns.size())
        rows->part->addColumns(pageColumns(entry(), storage_->rows()));
    return holding(std::move(held), std::make_shared<RowSnapshot>(storage_, entry(), partitionPath("/"), number));
}

// Begins a change with the newest entry and its indexes. The table exists: who drops it removes it from the catalog
// before it takes the turn.
std::unique_ptr<RowCommit> RowTable::begin() const {
    std::shared_ptr<StoredRows> stored = storage_->rows().find(entry().id);
    if (!stored) {
        checkExists();
        stored = storage_->rows().make(entry().id, pageColumns(entry(), storage_->rows()));
    }
    std::unique_ptr<RowCommit> commit = storage_->commits().changeRows(std::move(stored));
    takeNewerEntry();
    StoredRows& rows = commit->rows();
    if (rows.indexRevision != entry().revision) {
        rows.part->addColumns(pageColumns(entry(), storage_->rows()));
        rows.part->setIndexes(indexesOf(entry()), commit->awaitDurable());
        rows.indexRevision = entry().revision;
    }
    return commit;
}

const RowPart& RowTable::partOf(const TableSnapshot& snapshot) {
    const std::shared_ptr<StoredRows>& rows = dynamic_cast<const RowSnapshot&>(snapshot).rows();
    CHECK(rows != nullptr) << "the part was begun before";
    return *rows->part;
}

static void insertAll(RowCommit& commit, const TableEntry& entry, const MemoryTable& rows) {
    const std::vector<int> ordinals = ordinalsOf(entry);
    const RowColumns columns = commit.part().columns();
    const RowChecks checks(entry, rows);
    for (int64_t row = 0; row < rows.rowCount(); ++row) {
        requireRoom(row);
        std::vector<RowCell> cells = pageCells(entry, ordinals, columns, rows, row);
        checks.require(row);
        requireDone(commit.part().insert(commit.transaction(), std::move(cells)), entry.name);
    }
}

bool RowTable::appendChunks(std::vector<TableChunks> parts) {
    CHECK(parts.size() == 1) << "appendTogether refuses row tables";
    const std::unique_ptr<RowCommit> commit = begin();
    const TableEntry& entry = this->entry();
    for (const ChunkRows& chunk : parts[0].chunks) {
        if (!isBoundTo(*chunk.rows, entry)) return false;
        insertAll(*commit, entry, *chunk.rows);
    }
    commit->commit();
    return true;
}

// All rows that were seen go, and the new ones come: for changes that are not told row by row.
bool RowTable::replaceChunks(std::vector<ReplacedChunk> chunks, const TableSnapshot& seen, const TableEntry&) {
    const std::unique_ptr<RowCommit> commit = begin();
    const TableEntry& entry = this->entry();
    for (const uint64_t row : commit->part().rows(commit->view())) {
        const RowPart::Result erased = commit->part().erase(commit->transaction(), row, seen.number());
        if (erased.outcome == RowOutcome::Changed) {
            commit->abandon();
            return false;
        }
        requireDone(erased, entry.name);
    }
    for (const ReplacedChunk& chunk : chunks) {
        if (!isBoundTo(*chunk.rows.rows, entry)) return false;
        insertAll(*commit, entry, *chunk.rows.rows);
    }
    commit->commit();
    return true;
}

RowAccess::Rows RowTable::rowsToChange(const std::vector<Equality>& equalities) const {
    Rows result;
    result.snapshot = takeSnapshot();
    const auto& snapshot = dynamic_cast<const RowSnapshot&>(*result.snapshot);
    const std::vector<int> ordinals = ordinalsOf(entry());
    const RowView view{snapshot.number()};
    std::vector<RowCells> cells;
    if (snapshot.rows()) {
        const RowPart& part = *snapshot.rows()->part;
        const auto [index, key] = bestIndex(*part.indexes(), ordinals,
                                            typedEqualities(equalities, entry().storedSchema()), snapshot.number());
        const auto take = [&](uint64_t row) {
            RowCells read;
            if (part.read(row, view, ordinals, read)) {
                result.ids.push_back(row);
                cells.push_back(std::move(read));
            }
            return true;
        };
        if (index) {
            const std::optional<std::string> behind = keyBehind(key);
            part.range(*index, key, behind ? &*behind : nullptr, view, take);
        } else {
            for (const uint64_t row : part.rows(view)) take(row);
        }
    }
    result.rows = rowsOfCells(entry(), cells);
    return result;
}

// Returns the rows of an update as they will be, in the order of its positions.
static Ref<MemoryTable> rowsAfter(const MemoryTable& rows, const RowAccess::RowUpdate& update) {
    const auto count = static_cast<int64_t>(update.positions.size());
    Ref<MemoryTable> after = rows.gather(update.positions.data(), count);
    for (const auto& [column, values] : update.columns)
        after->mutableColumns()[static_cast<size_t>(column)] = gatherElements(values, update.positions.data(), count);
    return after;
}

// Changes rows that a statement saw. Returns false when one of them is another now.
bool RowTable::changeSeen(RowCommit& commit, const Rows& seen, const RowUpdate& update) const {
    const TableEntry& entry = this->entry();
    // The statement's columns may be others now.
    if (dynamic_cast<const RowSnapshot&>(*seen.snapshot).revision() != entry.revision) return false;
    const std::vector<int> ordinals = ordinalsOf(entry);
    std::vector<int> columns;
    std::vector<Value> newValues;
    for (const auto& [column, values] : update.columns) {
        columns.push_back(ordinals[static_cast<size_t>(column)]);
        newValues.push_back(withinLimits(values, entry.schema[static_cast<size_t>(column)].name));
    }
    const bool isChecked = !update.erases && !entry.rowTable->checks.empty();
    const RowChecks checks(entry, isChecked ? *rowsAfter(*seen.rows, update) : *makeRef<MemoryTable>());
    int64_t done = 0;
    for (const int32_t position : update.positions) {
        requireRoom(done);
        const uint64_t row = seen.ids[static_cast<size_t>(position)];
        RowPart::Result result;
        if (update.erases) {
            result = commit.part().erase(commit.transaction(), row, seen.snapshot->number());
        } else {
            std::vector<RowCell> cells;
            for (size_t c = 0; c < columns.size(); ++c) {
                const auto column = static_cast<size_t>(update.columns[c].first);
                cells.push_back(checkedCell(entry, column, newValues[c].vector(), position));
            }
            checks.require(done);
            result = commit.part().update(commit.transaction(), row, columns, cells, seen.snapshot->number());
        }
        if (result.outcome == RowOutcome::Changed) return false;
        requireDone(result, entry.name);
        ++done;
    }
    return true;
}

bool RowTable::changeRows(const Rows& seen, const RowUpdate& update) {
    const std::unique_ptr<RowCommit> commit = begin();
    if (!changeSeen(*commit, seen, update)) {
        // The other transaction may be placed and not yet visible: the next look must show it.
        commit->abandon();
        return false;
    }
    commit->commit();
    return true;
}

void RowTable::retypeColumn(const std::string& name, Type) {
    throw UserError(fmt::format("The column {} of the row table {} keeps its type.", name, entry().name),
                    "Add a column of the other type, and fill it by an update.");
}

std::vector<std::string> RowTable::check() const {
    const std::unique_ptr<RowCommit> commit = begin();
    return commit->part().check();
}

}  // namespace pelorus
