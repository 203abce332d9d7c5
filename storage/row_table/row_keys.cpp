#include "storage/row_table/row_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/column_lookup.h"
#include "storage/row_table/row_cells.h"
#include "storage/row_table/row_statement.h"
#include "storage/rows/row_key_index.h"

namespace pelorus {

std::shared_ptr<RowKeyIndex> uniqueIndexOf(const RowPart::Indexes& indexes, std::vector<int> columns) {
    std::sort(columns.begin(), columns.end());
    for (const auto& index : indexes) {
        std::vector<int> own = index->definition().columns;
        std::sort(own.begin(), own.end());
        if (index->definition().isUnique && own == columns) return index;
    }
    return nullptr;
}

RowCells keyCells(const RowKeyIndex& index, const std::vector<int>& ordinals, const MemoryTable& rows, int64_t row) {
    RowCells cells;
    for (const int ordinal : index.definition().columns) {
        const auto column = std::find(ordinals.begin(), ordinals.end(), ordinal) - ordinals.begin();
        cells.add(cellOf(rows.column(static_cast<int>(column)).vector(), row));
    }
    return cells;
}

std::vector<int> keyOrdinals(const TableEntry& entry, const std::vector<int>& ordinals,
                             const std::vector<std::string>& names) {
    std::vector<int> key;
    for (const std::string& name : names) {
        const int column = findColumn(entry.schema, name);
        if (column < 0) throw unknownColumn(name, entry.schema);
        key.push_back(ordinals[static_cast<size_t>(column)]);
    }
    return key;
}

std::shared_ptr<RowKeyIndex> requiredIndex(const TableEntry& entry, const RowPart::Indexes& indexes,
                                           const std::vector<std::string>& keyColumns) {
    if (auto index = uniqueIndexOf(indexes, keyOrdinals(entry, ordinalsOf(entry), keyColumns))) return index;
    throw UserError(
        fmt::format("<NoSuchKey>The row table {} has no unique index of exactly these columns.", entry.name),
        "Name the columns of its primary key or of a unique index.");
}

std::vector<std::string> storedNames(const TableEntry& entry, const std::vector<std::string>& names) {
    std::vector<std::string> stored;
    for (const int ordinal : keyOrdinals(entry, ordinalsOf(entry), names))
        stored.push_back(entry.rowTable->columns[static_cast<size_t>(ordinal)]);
    return stored;
}

Ref<MemoryTable> readRows(const RowStatement& statement, const TableEntry& entry, const std::vector<uint64_t>& rows) {
    const std::vector<int> ordinals = ordinalsOf(entry);
    std::vector<RowCells> cells(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
        const bool isThere = statement.part().read(rows[i], statement.view(), ordinals, cells[i]);
        CHECK(isThere) << "the transaction has locked them";
    }
    return rowsOfCells(entry, cells);
}

}  // namespace pelorus
