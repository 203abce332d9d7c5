#include "storage/row_table/row_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/check.h"
#include "common/error.h"
#include "runtime/append/empty_text.h"
#include "runtime/append/script_transaction.h"
#include "storage/commit/stored_transaction.h"
#include "storage/row_table/meant_change.h"
#include "storage/row_table/reference_queue.h"
#include "storage/row_table/row_cells.h"
#include "storage/row_table/row_checks.h"
#include "storage/row_table/row_snapshot.h"
#include "storage/row_table/row_statement.h"
#include "storage/rows/row_key_index.h"
#include "storage/rows/row_store.h"
#include "storage/table/row_facts.h"
#include "storage/version/version_set.h"

namespace pelorus {
namespace {

// Returns whether the rows have the columns of the table, under their stored names and in its order.
bool isBoundTo(const MemoryTable& rows, const TableEntry& entry) {
    if (rows.columnCount() != static_cast<int>(entry.schema.size())) return false;
    for (int c = 0; c < rows.columnCount(); ++c) {
        if (rows.columns()[static_cast<size_t>(c)].name != entry.storedNameOf(static_cast<size_t>(c))) return false;
    }
    return true;
}

}  // namespace

RowTable::RowTable(std::shared_ptr<LocalStorage> storage, DatabaseEntry database, TableEntry entry)
    : CatalogTable(storage->catalog(), std::move(database), std::move(entry), {}), storage_(std::move(storage)) {}

int64_t RowTable::rowCount() const {
    Transaction* const own = TransactionScope::current();
    const bool isIn = own != nullptr && own->clock() == clock();
    const std::shared_ptr<TableSnapshot> snapshot = isIn ? takeSnapshotIn(*own) : takeSnapshot();
    return snapshot->partitions().empty() ? 0 : snapshot->open(0)->rowCount();
}

std::shared_ptr<const RowShape> RowTable::shape() const {
    const TableEntry& now = entry();
    const MutexLock guard(shapeMutex_);
    if (!shape_ || shape_->revision != now.revision)
        shape_ = std::make_shared<const RowShape>(now, partitionPath("/"), showsEmptyTexts_);
    return shape_;
}

std::shared_ptr<TableSnapshot> RowTable::snapshotIn(std::shared_ptr<void> held, uint64_t pinned,
                                                    const RowView& view) const {
    // Pages have all columns of the entry before they are read by it.
    if (const auto rows = storage_->rows().find(entry().id);
        rows && rows->part->columns().size() < entry().rowTable->columns.size())
        rows->part->addColumns(pageColumns(entry(), storage_->rows()));
    return holding(std::move(held), std::make_shared<RowSnapshot>(storage_, shape(), pinned, view));
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

void RowTable::requireOwn(const Transaction* transaction) const {
    if (transaction == nullptr || transaction->clock() == clock()) return;
    throw UserError("<NotSupported>A transaction changes tables of one data folder.",
                    "Commit between tables of different folders.");
}

// Begins a change with the newest entry and its indexes. The table exists: who drops it removes it from the catalog
// before it locks the rows.
std::unique_ptr<RowStatement> RowTable::begin(Transaction* given, Purpose purpose) const {
    if (purpose == Purpose::Define)
        ScriptTransaction::requireUnchanged("A change of the definition of the table " + name);
    // Statements of a script's transaction block that name no transaction belong to it.
    ScriptTransaction* const block = ScriptTransaction::current();
    const bool isOfBlock = given == nullptr && block != nullptr && purpose != Purpose::Define;
    Transaction* const transaction = isOfBlock ? block->open(*this) : given;
    requireOwn(transaction);
    std::shared_ptr<StoredRows> stored = storage_->rows().find(entry().id);
    if (!stored) {
        checkExists();
        stored = storage_->rows().make(entry().id, pageColumns(entry(), storage_->rows()));
    }
    const LockMode mode = purpose == Purpose::Define   ? LockMode::AccessExclusive
                          : purpose == Purpose::Change ? LockMode::RowExclusive
                                                       : LockMode::RowShare;
    auto statement = std::make_unique<RowStatement>(*storage_, transaction, std::move(stored), mode);
    if (isOfBlock) statement->checkAtEnd();
    takeNewerEntry();
    if (requiredRevision_ != 0 && purpose != Purpose::Define && entry().revision != requiredRevision_) {
        throw UserError(
            fmt::format("<DefinitionChanged>The definition of the table {} was changed meanwhile.", entry().name),
            "Run the statement again.");
    }
    if (purpose != Purpose::Define) statement->noteAt(ReferenceQueue::of(*this, storage_, statement->transaction()));
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

bool RowTable::appendChunks(std::vector<TableChunks> parts, Transaction* with) {
    CHECK(parts.size() == 1 && with == nullptr) << "appendTogether refuses row tables";
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
    transaction.checkChanges();
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

RowAccess::Rows RowTable::rowsToChange(const std::vector<ColumnConstraint>& constraints,
                                       Transaction* transaction) const {
    requireOwn(transaction);
    Rows result;
    result.snapshot = transaction != nullptr ? takeSnapshotIn(*transaction) : takeSnapshot();
    const auto& snapshot = dynamic_cast<const RowSnapshot&>(*result.snapshot);
    const std::vector<int> ordinals = ordinalsOf(entry());
    const RowView view = snapshot.view();
    std::vector<RowCells> cells;
    if (snapshot.rows()) {
        const RowPart& part = *snapshot.rows()->part;
        const std::optional<std::vector<uint64_t>> found = snapshot.candidates(constraints);
        for (const uint64_t row : found ? *found : part.rows(view)) {
            RowCells read;
            if (!part.read(row, view, ordinals, read)) continue;
            result.ids.push_back(row);
            cells.push_back(std::move(read));
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
