#include "storage/table/row_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/check.h"
#include "common/error.h"
#include "runtime/append/empty_text.h"
#include "storage/commit/stored_transaction.h"
#include "storage/rows/index_key.h"
#include "storage/rows/row_key_index.h"
#include "storage/rows/row_store.h"
#include "storage/table/meant_change.h"
#include "storage/table/row_cells.h"
#include "storage/table/row_checks.h"
#include "storage/table/row_facts.h"
#include "storage/table/row_statement.h"
#include "storage/version/version_set.h"

namespace pelorus {
namespace {

constexpr int kPagesPerBlock = 64;

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
    RowReader(const RowStore& store, std::shared_ptr<StoredRows> rows, std::vector<const RowPage*> pages,
              const RowView& view, TableSchema schema, std::vector<int> ordinals, bool showsEmptyTexts)
        : store_(store),
          rows_(std::move(rows)),
          pages_(std::move(pages)),
          view_(view),
          schema_(std::move(schema)),
          ordinals_(std::move(ordinals)),
          showsEmptyTexts_(showsEmptyTexts) {
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
        store_.requireKept(view_.number);
        CHECK(at == pages.rows) << "a snapshot has the same rows at each look";
        if (!showsEmptyTexts_) nullEmptyTexts(*values);
        return Value::of(values);
    }

private:
    struct Block {
        size_t begin, end;  // pages
        int64_t rows;
    };
    const RowStore& store_;  // of the storage that the snapshot keeps open
    const std::shared_ptr<StoredRows> rows_;
    const std::vector<const RowPage*> pages_;
    const RowView view_;
    const TableSchema schema_;
    const std::vector<int> ordinals_;
    const bool showsEmptyTexts_;
    std::vector<Block> blocks_;
    int64_t rowCount_ = 0;
};

// A snapshot: by its Pin the before-images that it needs stay.
class RowSnapshot final : public TableSnapshot {
public:
    // It shows what `view` sees, or, where that has no number, what is visible at `pinned`; 0 is the newest number.
    RowSnapshot(std::shared_ptr<LocalStorage> storage, const TableEntry& entry, const std::string& path,
                uint64_t pinned, const RowView& view, bool showsEmptyTexts)
        : storage_(std::move(storage)),
          pin_(storage_->versions(), pinned),
          view_{view.number == 0 ? pin_.number() : view.number, view.own},
          rows_(storage_->rows().find(entry.id)),
          schema_(entry.storedSchema()),
          ordinals_(ordinalsOf(entry)),
          revision_(entry.revision),
          showsEmptyTexts_(showsEmptyTexts) {
        if (!storage_->rows().reads().keeps(pin_.number())) {
            throw snapshotTooOld(pin_.number());
        }
        if (!rows_) return;
        pages_ = rows_->part->pages();
        partitions_.push_back({path, {}, ""});
    }

    uint64_t number() const override { return view_.number; }
    const RowView& view() const { return view_; }
    const std::vector<PartitionEntry>& partitions() const override { return partitions_; }
    bool isInSchemeOrder() const override { return true; }
    std::unique_ptr<PartitionReader> open(size_t) const override {
        return std::make_unique<RowReader>(storage_->rows(), rows_, pages_, view_, schema_, ordinals_,
                                           showsEmptyTexts_);
    }
    const std::shared_ptr<StoredRows>& rows() const { return rows_; }
    // Returns the revision of the entry whose columns the snapshot has.
    uint64_t revision() const { return revision_; }

private:
    const std::shared_ptr<LocalStorage> storage_;
    const VersionSet::Pin pin_;
    const RowView view_;
    const std::shared_ptr<StoredRows> rows_;  // null: no row was ever written
    const TableSchema schema_;
    const std::vector<int> ordinals_;
    const uint64_t revision_;
    const bool showsEmptyTexts_;
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
// do not fit are left out, and NULL where it is '' as well.
std::vector<RowAccess::Equality> typedEqualities(const std::vector<RowAccess::Equality>& equalities,
                                                 const TableSchema& schema, bool showsEmptyTexts) {
    std::vector<RowAccess::Equality> typed;
    for (const auto& [column, value] : equalities) {
        const ColumnSchema& to = schema[static_cast<size_t>(column)];
        if (!showsEmptyTexts && to.type == Type::String && value.isNull()) continue;
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

std::shared_ptr<TableSnapshot> RowTable::snapshotIn(std::shared_ptr<void> held, uint64_t pinned,
                                                    const RowView& view) const {
    // Pages have all columns of the entry before they are read by it.
    if (const auto rows = storage_->rows().find(entry().id);
        rows && rows->part->columns().size() < entry().rowTable->columns.size())
        rows->part->addColumns(pageColumns(entry(), storage_->rows()));
    return holding(std::move(held), std::make_shared<RowSnapshot>(storage_, entry(), partitionPath("/"), pinned, view,
                                                                  showsEmptyTexts_));
}

std::shared_ptr<TableSnapshot> RowTable::takeSnapshot(uint64_t number) const {
    return snapshotIn(heldEntry(number == 0), number, {});
}

std::shared_ptr<TableSnapshot> RowTable::takeSnapshotIn(Transaction& transaction) const {
    auto& own = dynamic_cast<StoredTransaction&>(transaction);
    const RowView view = own.view();
    return snapshotIn(heldEntry(true), own.pinnedNumber(), view);
}

std::unique_ptr<Transaction> RowTable::beginTransaction() const {
    return storage_->beginTransaction({});
}

// Begins a change with the newest entry and its indexes. The table exists: who drops it removes it from the catalog
// before it locks the rows.
std::unique_ptr<RowStatement> RowTable::begin(Transaction* transaction, Purpose purpose) const {
    std::shared_ptr<StoredRows> stored = storage_->rows().find(entry().id);
    if (!stored) {
        checkExists();
        stored = storage_->rows().make(entry().id, pageColumns(entry(), storage_->rows()));
    }
    const LockMode mode = purpose == Purpose::Define   ? LockMode::AccessExclusive
                          : purpose == Purpose::Change ? LockMode::RowExclusive
                                                       : LockMode::RowShare;
    auto statement = std::make_unique<RowStatement>(*storage_, transaction, std::move(stored), mode);
    takeNewerEntry();
    if (requiredRevision_ != 0 && purpose != Purpose::Define && entry().revision != requiredRevision_) {
        throw UserError(
            fmt::format("<DefinitionChanged>The definition of the table {} was changed meanwhile.", entry().name),
            "Run the statement again.");
    }
    StoredRows& rows = statement->rows();
    if (rows.indexRevision == entry().revision) return statement;
    // New indexes are made under the lock of a definition; these are of a table whose rows nobody has changed since the
    // start, or the ones that are there.
    const MutexLock one(rows.indexing);
    if (rows.indexRevision != entry().revision) {
        rows.part->addColumns(pageColumns(entry(), storage_->rows()));
        rows.part->setIndexes(indexesOf(entry()), statement->transaction().awaitDurable());
        rows.indexRevision = entry().revision;
    }
    return statement;
}

void RowTable::insertAll(RowStatement& statement, const MemoryTable& rows) const {
    const std::vector<int> ordinals = ordinalsOf(entry());
    const RowColumns columns = statement.part().columns();
    const RowChecks checks(entry(), rows);
    for (int64_t row = 0; row < rows.rowCount(); ++row) {
        requireRoom(row);
        const std::vector<RowCell> cells = pageCells(entry(), ordinals, columns, rows, row);
        checks.require(row);
        requireDone(statement.insert(cells), entry().name);
    }
}

bool RowTable::appendChunks(std::vector<TableChunks> parts) {
    CHECK(parts.size() == 1) << "appendTogether refuses row tables";
    const std::unique_ptr<RowStatement> statement = begin(nullptr, Purpose::Change);
    for (const ChunkRows& chunk : parts[0].chunks) {
        if (!isBoundTo(*chunk.rows, entry())) return false;
        insertAll(*statement, *chunk.rows);
    }
    statement->finish();
    return true;
}

void RowTable::insertRows(const MemoryTable& given, Transaction& transaction) {
    const std::unique_ptr<RowStatement> statement = begin(&transaction, Purpose::Change);
    insertAll(*statement, *withColumnsOf(entry(), given, entry().newColumns));
    statement->finish();
}

// All rows that were seen go, and the new ones come: for changes that are not told row by row.
bool RowTable::replaceChunks(std::vector<ReplacedChunk> chunks, const TableSnapshot& seen, const TableEntry&) {
    const std::unique_ptr<RowStatement> statement = begin(nullptr, Purpose::Change);
    for (const uint64_t row : statement->part().rows(statement->view())) {
        const RowPart::Result erased = statement->erase(row, seen.number());
        if (erased.outcome == RowOutcome::Changed) {
            statement->abandon();
            return false;
        }
        requireDone(erased, entry().name);
    }
    for (const ReplacedChunk& chunk : chunks) {
        if (!isBoundTo(*chunk.rows.rows, entry())) return false;
        insertAll(*statement, *chunk.rows.rows);
    }
    statement->finish();
    return true;
}

RowAccess::Rows RowTable::rowsToChange(const std::vector<Equality>& equalities, Transaction* transaction) const {
    Rows result;
    result.snapshot = transaction != nullptr ? takeSnapshotIn(*transaction) : takeSnapshot();
    const auto& snapshot = dynamic_cast<const RowSnapshot&>(*result.snapshot);
    const std::vector<int> ordinals = ordinalsOf(entry());
    const RowView view = snapshot.view();
    std::vector<RowCells> cells;
    if (snapshot.rows()) {
        const RowPart& part = *snapshot.rows()->part;
        const auto [index, key] =
            bestIndex(*part.indexes(), ordinals, typedEqualities(equalities, entry().storedSchema(), showsEmptyTexts_),
                      snapshot.number());
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
    storage_->rows().requireKept(view.number);
    result.rows = shown(rowsOfCells(entry(), cells));
    return result;
}

// Returns the rows as the handle shows them.
Ref<MemoryTable> RowTable::shown(Ref<MemoryTable> rows) const {
    for (Value& column : rows->mutableColumns()) {
        if (!showsEmptyTexts_) nullEmptyTexts(column.vector());
    }
    return rows;
}

// Returns the rows of an update as they will be, in the order of its positions.
static Ref<MemoryTable> rowsAfter(const MemoryTable& rows, const RowAccess::RowUpdate& update) {
    const auto count = static_cast<int64_t>(update.positions.size());
    Ref<MemoryTable> after = rows.gather(update.positions.data(), count);
    for (const auto& [column, values] : update.columns)
        after->mutableColumns()[static_cast<size_t>(column)] = gatherElements(values, update.positions.data(), count);
    return after;
}

static LockMode modeOf(RowLockStrength strength) {
    switch (strength) {
        case RowLockStrength::KeyShare:
            return row_lock::kKeyShare;
        case RowLockStrength::Share:
            return row_lock::kShare;
        case RowLockStrength::NoKeyUpdate:
            return row_lock::kNoKeyUpdate;
        case RowLockStrength::Update:
            break;
    }
    return row_lock::kUpdate;
}

RowAccess::LockedRows RowTable::lockRows(const Rows& seen, const std::vector<int32_t>& positions,
                                         RowLockStrength strength, RowLockPolicy policy, Transaction& transaction,
                                         int64_t limit) {
    LockedRows locked;
    if (positions.empty()) return locked;
    const std::unique_ptr<RowStatement> statement = begin(&transaction, Purpose::Lock);
    StoredTransaction& own = statement->transaction();
    const std::vector<int> ordinals = ordinalsOf(entry());
    std::vector<RowCells> renewed;
    int64_t count = 0;
    for (const int32_t position : positions) {
        if (count >= limit) break;
        ++locked.visited;
        const uint64_t row = seen.ids[static_cast<size_t>(position)];
        if (!own.lockRow(entry().id, row, modeOf(strength), policy)) continue;
        RowCells cells;
        // A lock that shares the row with one who changes other columns must not show that change.
        RowPage::Newest newest = statement->part().versionOf(row, own.newest(), {}, cells);
        const bool isOwn = newest.stamp == own.newest().own && newest.stamp != 0;
        if (isOwn || newest.number <= seen.snapshot->number()) {
            // Own changes of this very statement, such as those of a function that it calls, may have erased it.
            if (newest.isLive) locked.kept.push_back(position);
            count += newest.isLive ? 1 : 0;
            continue;
        }
        own.noteMet(newest.number);
        if (own.isRepeatable()) refuseConcurrent(entry().name);
        if (!newest.isLive) continue;
        newest = statement->part().versionOf(row, own.newest(), ordinals, cells);
        locked.renewed.ids.push_back(row);
        renewed.push_back(std::move(cells));
        ++count;
    }
    locked.renewed.rows = shown(rowsOfCells(entry(), renewed));
    locked.renewed.snapshot = seen.snapshot;
    statement->finish();
    return locked;
}

void RowTable::lockTable(int mode, bool waits, Transaction& transaction) {
    CHECK(mode >= 1 && mode <= 8) << "a table has eight modes of locks";
    dynamic_cast<StoredTransaction&>(transaction).lockTable(entry().id, static_cast<LockMode>(mode - 1), waits);
}

// Applies a change to rows that are locked, or are not newer than `number`. Returns false when one is newer, or the
// table has other columns than the statement saw.
bool RowTable::changeLocked(RowStatement& statement, const Rows& seen, const RowUpdate& given, uint64_t number) const {
    if (dynamic_cast<const RowSnapshot&>(*seen.snapshot).revision() != entry().revision) return false;
    const bool isMeant = showsEmptyTexts_ || given.erases;
    const MeantChange meant = isMeant ? MeantChange{seen.rows, given} : withEmptyTexts(statement, entry(), seen, given);
    if (meant.isStale) return false;
    const RowUpdate& update = meant.update;
    const std::vector<int> ordinals = ordinalsOf(entry());
    std::vector<int> columns;
    std::vector<Value> newValues;
    for (const auto& [column, values] : update.columns) {
        columns.push_back(ordinals[static_cast<size_t>(column)]);
        newValues.push_back(withinLimits(values, entry().schema[static_cast<size_t>(column)].name));
    }
    const bool isChecked = !update.erases && !entry().rowTable->checks.empty();
    const RowChecks checks(entry(), isChecked ? *rowsAfter(*meant.rows, update) : *makeRef<MemoryTable>());
    int64_t done = 0;
    for (const int32_t position : update.positions) {
        requireRoom(done);
        const uint64_t row = seen.ids[static_cast<size_t>(position)];
        RowPart::Result result;
        if (update.erases) {
            result = statement.erase(row, number);
        } else {
            std::vector<RowCell> cells;
            for (size_t c = 0; c < columns.size(); ++c) {
                const auto column = static_cast<size_t>(update.columns[c].first);
                cells.push_back(checkedCell(entry(), column, newValues[c].vector(), position));
            }
            checks.require(done);
            result = statement.update(row, columns, cells, number);
        }
        if (result.outcome == RowOutcome::Changed) return false;
        requireDone(result, entry().name);
        ++done;
    }
    return true;
}

bool RowTable::changeRows(const Rows& seen, const RowUpdate& update, Transaction* transaction) {
    const std::unique_ptr<RowStatement> statement = begin(transaction, Purpose::Change);
    // Without a transaction rows may have changed since they were seen; the other transaction may be placed and not yet
    // visible: the next look must show it.
    const uint64_t number = transaction != nullptr ? TransactionSlots::kNewest : seen.snapshot->number();
    if (!changeLocked(*statement, seen, update, number)) {
        statement->abandon();
        return false;
    }
    statement->finish();
    return true;
}

void RowTable::retypeColumn(const std::string& name, Type) {
    throw UserError(fmt::format("The column {} of the row table {} keeps its type.", name, entry().name),
                    "Add a column of the other type, and fill it by an update.");
}

std::vector<std::string> RowTable::check() const {
    return begin(nullptr, Purpose::Define)->part().check();
}

}  // namespace pelorus
