// Changes of a row table by its keys: upsert, insert of new rows, and its indexes.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/column_lookup.h"
#include "storage/commit/row_commit.h"
#include "storage/rows/row_key_index.h"
#include "storage/table/row_cells.h"
#include "storage/table/row_facts.h"
#include "storage/table/row_table.h"

namespace pelorus {

// Returns the unique index of exactly these columns; null when there is none.
static std::shared_ptr<RowKeyIndex> uniqueIndexOf(const RowPart::Indexes& indexes, std::vector<int> columns) {
    std::sort(columns.begin(), columns.end());
    for (const auto& index : indexes) {
        std::vector<int> own = index->definition().columns;
        std::sort(own.begin(), own.end());
        if (index->definition().isUnique && own == columns) return index;
    }
    return nullptr;
}

// Returns the cells that a row has in the columns of an index.
static RowCells keyCells(const RowKeyIndex& index, const std::vector<int>& ordinals, const MemoryTable& rows,
                         int64_t row) {
    RowCells cells;
    for (const int ordinal : index.definition().columns) {
        const auto column = std::find(ordinals.begin(), ordinals.end(), ordinal) - ordinals.begin();
        cells.add(cellOf(rows.column(static_cast<int>(column)).vector(), row));
    }
    return cells;
}

// Returns the positions in pages of the columns of these names. Throws UserError for an unknown one.
static std::vector<int> keyOrdinals(const TableEntry& entry, const std::vector<int>& ordinals,
                                    const std::vector<std::string>& names) {
    std::vector<int> key;
    for (const std::string& name : names) {
        const int column = findColumn(entry.schema, name);
        if (column < 0) throw unknownColumn(name, entry.schema);
        key.push_back(ordinals[static_cast<size_t>(column)]);
    }
    return key;
}

UpsertReport RowTable::upsert(const MemoryTable& given, const UpsertRule& rule) {
    if (!rule.sortColumns.empty())
        throw UserError("sortColumns is not for row tables.", "Order the rows when they are read.");
    const std::unique_ptr<RowCommit> commit = begin();
    const TableEntry& entry = this->entry();
    const Ref<MemoryTable> rows = withColumnsOf(entry, given, entry.newColumns);
    const std::vector<int> ordinals = ordinalsOf(entry);
    const RowColumns types = commit->part().columns();
    std::vector<int> key = keyOrdinals(entry, ordinals, rule.keyColumns);
    if (key.empty()) {
        const std::vector<RowTableIndex>& indexes = entry.rowTable->indexes;
        const auto primary =
            std::find_if(indexes.begin(), indexes.end(), [](const auto& each) { return each.isPrimary; });
        if (primary != indexes.end()) key = indexesOf(entry)[static_cast<size_t>(primary - indexes.begin())].columns;
    }
    const std::shared_ptr<RowKeyIndex> index = uniqueIndexOf(*commit->part().indexes(), key);
    if (!index) {
        throw UserError(fmt::format("The row table {} has no unique index of the key columns.", entry.name),
                        "Name the columns of its primary key, or create the table with primaryKey.");
    }
    UpsertReport report;
    for (int64_t row = 0; row < rows->rowCount(); ++row) {
        requireRoom(row);
        const RowCells cells = keyCells(*index, ordinals, *rows, row);
        const uint64_t found =
            index->hasNull(cells) ? RowPart::kNoRow : commit->part().find(*index, index->keyOf(cells), commit->view());
        if (found == RowPart::kNoRow) {
            requireDone(commit->part().insert(commit->transaction(), pageCells(entry, ordinals, types, *rows, row)),
                        entry.name);
            ++report.inserted;
            continue;
        }
        std::vector<int> changed;
        std::vector<RowCell> values;
        for (size_t c = 0; c < ordinals.size(); ++c) {
            const Vector& column = rows->column(static_cast<int>(c)).vector();
            if (rule.ignoreNull && column.isNullAt(row)) continue;
            changed.push_back(ordinals[c]);
            values.push_back(checkedCell(entry, c, column, row));
        }
        requireDone(commit->part().update(commit->transaction(), found, changed, values), entry.name);
        ++report.updated;
    }
    commit->commit();
    return report;
}

Ref<MemoryTable> RowTable::insertNew(const MemoryTable& given, const std::vector<std::string>& keyColumns) {
    const std::unique_ptr<RowCommit> commit = begin();
    const TableEntry& entry = this->entry();
    const Ref<MemoryTable> rows = withColumnsOf(entry, given, entry.newColumns);
    const std::vector<int> ordinals = ordinalsOf(entry);
    const std::shared_ptr<const RowPart::Indexes> all = commit->part().indexes();
    const RowColumns types = commit->part().columns();
    RowPart::Indexes judged;
    for (const auto& index : *all) {
        if (keyColumns.empty() && index->definition().isUnique) judged.push_back(index);
    }
    if (!keyColumns.empty()) {
        if (const auto index = uniqueIndexOf(*all, keyOrdinals(entry, ordinals, keyColumns))) judged.push_back(index);
        if (judged.empty()) {
            throw UserError(
                fmt::format("<NoSuchKey>The row table {} has no unique index of exactly these columns.", entry.name),
                "Name the columns of its primary key or of a unique index.");
        }
    }
    std::vector<int32_t> inserted;
    for (int32_t row = 0; row < rows->rowCount(); ++row) {
        requireRoom(row);
        std::vector<RowCell> cells = pageCells(entry, ordinals, types, *rows, row);
        const bool isThere = std::any_of(judged.begin(), judged.end(), [&](const auto& index) {
            const RowCells key = keyCells(*index, ordinals, *rows, row);
            return !index->hasNull(key) &&
                   commit->part().find(*index, index->keyOf(key), commit->view()) != RowPart::kNoRow;
        });
        if (isThere) continue;
        requireDone(commit->part().insert(commit->transaction(), std::move(cells)), entry.name);
        inserted.push_back(row);
    }
    commit->commit();
    return given.gather(inserted.data(), static_cast<int64_t>(inserted.size()));
}

void RowTable::createIndex(const std::string& indexName, const std::vector<std::string>& columnNames, bool isUnique) {
    const std::unique_ptr<RowCommit> commit = begin();
    refuseKnownIndex(entry(), indexName);  // before the rows are read for it
    RowTableIndex index{indexName, {}, isUnique, false};
    TableEntry wanted = entry();
    for (const int ordinal : keyOrdinals(wanted, ordinalsOf(wanted), columnNames))
        index.columns.push_back(wanted.rowTable->columns[static_cast<size_t>(ordinal)]);
    const std::vector<RowIndexDefinition> before = indexesOf(wanted);
    wanted.rowTable->indexes.push_back(index);
    commit->part().setIndexes(indexesOf(wanted), commit->awaitDurable());
    try {
        addRowIndex(index);
    } catch (...) {
        commit->part().setIndexes(before);
        throw;
    }
    commit->rows().indexRevision = entry().revision;
}

}  // namespace pelorus
