// Rows of a row table that have the keys of others: what an insert looks for that updates them instead.
#include <algorithm>
#include <map>

#include "common/check.h"
#include "storage/commit/row_commit.h"
#include "storage/rows/row_key_index.h"
#include "storage/table/row_cells.h"
#include "storage/table/row_checks.h"
#include "storage/table/row_keys.h"
#include "storage/table/row_table.h"

namespace pelorus {

RowAccess::Conflicts RowTable::findConflicts(const MemoryTable& rows,
                                             const std::vector<std::string>& keyColumns) const {
    Conflicts conflicts;
    const auto count = static_cast<size_t>(rows.rowCount());
    // Begins the part, and makes its indexes, where no row was ever written.
    begin()->abandon();
    conflicts.there.snapshot = takeSnapshot();
    const TableEntry& entry = this->entry();
    const std::vector<int> ordinals = ordinalsOf(entry);
    const RowPart& part = partOf(*conflicts.there.snapshot);
    const std::shared_ptr<RowKeyIndex> index = requiredIndex(entry, *part.indexes(), keyColumns);
    const RowView view{conflicts.there.snapshot->number()};
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
        const uint64_t found = part.find(*index, bytes, view);
        if (found == RowPart::kNoRow) continue;
        const auto [place, isNew] = places.emplace(found, static_cast<int32_t>(cells.size()));
        conflicts.of.back() = place->second;
        if (!isNew) continue;
        conflicts.there.ids.push_back(found);
        const bool isThere = part.read(found, view, ordinals, cells.emplace_back());
        CHECK(isThere) << "a snapshot has the same rows at each look";
    }
    conflicts.there.rows = rowsOfCells(entry, cells);
    return conflicts;
}

bool RowTable::insertAndChange(const NewRows& inserted, const Rows& seen, const RowUpdate& update) {
    const std::unique_ptr<RowCommit> commit = begin();
    const auto goBack = [&] {
        commit->abandon();
        return false;
    };
    if (!changeSeen(*commit, seen, update)) return goBack();
    const TableEntry& entry = this->entry();
    const std::vector<int> ordinals = ordinalsOf(entry);
    const RowColumns columns = commit->part().columns();
    const auto count = static_cast<int64_t>(inserted.positions.size());
    const Ref<MemoryTable> rows =
        withColumnsOf(entry, *inserted.rows.gather(inserted.positions.data(), count), entry.newColumns);
    const std::shared_ptr<RowKeyIndex> index = requiredIndex(entry, *commit->part().indexes(), inserted.keyColumns);
    const RowChecks checks(entry, *rows);
    for (int64_t row = 0; row < count; ++row) {
        requireRoom(row);
        std::vector<RowCell> cells = pageCells(entry, ordinals, columns, *rows, row);
        checks.require(row);
        const RowCells key = keyCells(*index, ordinals, *rows, row);
        const bool isThere =
            !index->hasNull(key) && commit->part().find(*index, index->keyOf(key), commit->view()) != RowPart::kNoRow;
        if (isThere) return goBack();
        requireDone(commit->part().insert(commit->transaction(), std::move(cells)), entry.name);
    }
    commit->commit();
    return true;
}

}  // namespace pelorus
