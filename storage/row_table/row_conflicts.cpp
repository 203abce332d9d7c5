// Rows of a row table that have the keys of others: what an insert looks for that updates them instead.
#include <algorithm>
#include <map>
#include <set>

#include "common/error.h"
#include "storage/row_table/row_cells.h"
#include "storage/row_table/row_checks.h"
#include "storage/row_table/row_keys.h"
#include "storage/row_table/row_statement.h"
#include "storage/row_table/row_table.h"
#include "storage/rows/row_key_index.h"

namespace pelorus {

// Finds the row that has a key now, and locks it; RowPart::kNoRow for none. Another transaction may change the row, or
// its key, while its lock is waited for.
static uint64_t lockByKey(RowStatement& statement, const RowKeyIndex& index, const std::string& key,
                          const std::string& table) {
    for (;;) {
        const uint64_t found = statement.find(index, key, table);
        if (found == RowPart::kNoRow) return found;
        statement.transaction().lockRow(statement.part().table(), found, row_lock::kNoKeyUpdate, RowLockPolicy::Wait);
        if (statement.find(index, key, table) == found) return found;
    }
}

RowAccess::Conflicts RowTable::findConflicts(const MemoryTable& rows, const std::vector<std::string>& keyColumns,
                                             Transaction& transaction) const {
    Conflicts conflicts;
    const auto count = static_cast<size_t>(rows.rowCount());
    const std::unique_ptr<RowStatement> statement = begin(&transaction, Purpose::Change);
    conflicts.there.snapshot = takeSnapshotIn(transaction);
    const TableEntry& entry = this->entry();
    const std::vector<int> ordinals = ordinalsOf(entry);
    const RowPart& part = statement->part();
    const std::shared_ptr<RowKeyIndex> index = requiredIndex(entry, *part.indexes(), keyColumns);
    std::map<std::string, int32_t> first;
    std::map<uint64_t, int32_t> places;
    std::vector<RowCells> cells;
    for (size_t row = 0; row < count; ++row) {
        conflicts.of.push_back(-1);
        conflicts.earlier.push_back(static_cast<int32_t>(row));
        const RowCells key = keyCells(*index, ordinals, rows, static_cast<int64_t>(row));
        if (index->hasNull(key)) continue;
        const std::string bytes = index->keyOf(key);
        conflicts.earlier.back() = first.emplace(bytes, static_cast<int32_t>(row)).first->second;
        const uint64_t found = lockByKey(*statement, *index, bytes, entry.name);
        if (found == RowPart::kNoRow) continue;
        const auto [place, isNew] = places.emplace(found, static_cast<int32_t>(cells.size()));
        conflicts.of.back() = place->second;
        if (!isNew) continue;
        conflicts.there.ids.push_back(found);
        part.newest(found, ordinals, cells.emplace_back());
    }
    conflicts.there.rows = rowsOfCells(entry, cells);
    const RowChecks checks(entry, rows);
    for (int32_t row = 0; row < static_cast<int32_t>(count) && conflicts.refused < 0; ++row) {
        try {
            for (size_t c = 0; c < entry.schema.size(); ++c)
                checkedCell(entry, c, rows.column(static_cast<int>(c)).vector(), row);
            checks.require(row);
        } catch (const UserError&) {
            conflicts.refused = row;
            conflicts.error = std::current_exception();
        }
    }
    statement->finish();
    return conflicts;
}

bool RowTable::insertAndChange(const NewRows& inserted, const Rows& seen, const RowUpdate& update,
                               Transaction& transaction) {
    const std::unique_ptr<RowStatement> statement = begin(&transaction, Purpose::Change);
    const auto goBack = [&] {
        statement->abandon();
        return false;
    };
    // The statement's columns may be others now.
    if (!changeLocked(*statement, seen, {}, TransactionSlots::kNewest)) return goBack();
    const TableEntry& entry = this->entry();
    std::set<uint64_t> written;  // rows that the statement has written
    size_t changed = 0;
    const auto changeUpTo = [&](size_t end) {
        if (changed == end) return true;
        const auto begin = update.positions.begin();
        const RowUpdate part{{begin + static_cast<std::ptrdiff_t>(changed), begin + static_cast<std::ptrdiff_t>(end)},
                             update.erases,
                             update.columns};
        for (const int32_t position : part.positions) written.insert(seen.ids[static_cast<size_t>(position)]);
        changed = end;
        return changeLocked(*statement, seen, part, TransactionSlots::kNewest);
    };
    const std::vector<int> ordinals = ordinalsOf(entry);
    const RowColumns columns = statement->part().columns();
    const auto count = static_cast<int64_t>(inserted.positions.size());
    const Ref<MemoryTable> rows =
        withColumnsOf(entry, *inserted.rows.gather(inserted.positions.data(), count), entry.newColumns);
    const std::shared_ptr<RowKeyIndex> index = requiredIndex(entry, *statement->part().indexes(), inserted.keyColumns);
    const RowChecks checks(entry, *rows);
    for (int64_t row = 0; row < count; ++row) {
        requireRoom(row);
        const bool hasOrder = !inserted.changesBefore.empty();
        const size_t before =
            hasOrder ? static_cast<size_t>(inserted.changesBefore[static_cast<size_t>(row)]) : update.positions.size();
        if (!changeUpTo(before)) return goBack();
        const std::vector<RowCell> cells = pageCells(entry, ordinals, columns, *rows, row);
        checks.require(row);
        const RowPart::Result result = statement->insert(cells);
        if (result.outcome == RowOutcome::Duplicate && result.index == index) {
            if (written.count(result.row) == 0) return goBack();
            throw UserError(
                "<MetTwice>A row has a key that another row of the statement was given. Nothing was written.",
                "Give each key once.");
        }
        requireDone(result, entry.name);
        written.insert(result.row);
    }
    if (!changeUpTo(update.positions.size())) return goBack();
    if (inserted.isTrial) {
        statement->abandon();
        return true;
    }
    statement->finish();
    return true;
}

}  // namespace pelorus
