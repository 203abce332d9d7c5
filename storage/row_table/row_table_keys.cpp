// Changes of a row table by its keys: upsert, insert of new rows, and its indexes.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/column_lookup.h"
#include "storage/row_table/row_cells.h"
#include "storage/row_table/row_checks.h"
#include "storage/row_table/row_keys.h"
#include "storage/row_table/row_statement.h"
#include "storage/row_table/row_table.h"
#include "storage/rows/row_key_index.h"
#include "storage/table/row_facts.h"

namespace pelorus {

UpsertReport RowTable::upsert(const MemoryTable& given, const UpsertRule& rule) {
    if (!rule.sortColumns.empty())
        throw UserError("sortColumns is not for row tables.", "Order the rows when they are read.");
    const std::unique_ptr<RowStatement> statement = begin(nullptr, Purpose::Change);
    const TableEntry& entry = this->entry();
    const Ref<MemoryTable> rows = withColumnsOf(entry, given, entry.newColumns);
    const std::vector<int> ordinals = ordinalsOf(entry);
    const RowColumns types = statement->part().columns();
    std::vector<int> key = keyOrdinals(entry, ordinals, rule.keyColumns);
    if (key.empty()) {
        const std::vector<RowTableIndex>& indexes = entry.rowTable->indexes;
        const auto primary =
            std::find_if(indexes.begin(), indexes.end(), [](const auto& each) { return each.isPrimary; });
        if (primary != indexes.end()) key = indexesOf(entry)[static_cast<size_t>(primary - indexes.begin())].columns;
    }
    const std::shared_ptr<RowKeyIndex> index = uniqueIndexOf(*statement->part().indexes(), key);
    if (!index) {
        throw UserError(fmt::format("The row table {} has no unique index of the key columns.", entry.name),
                        "Name the columns of its primary key, or create the table with primaryKey.");
    }
    UpsertReport report;
    std::vector<uint64_t> written;
    for (int64_t row = 0; row < rows->rowCount(); ++row) {
        requireRoom(row);
        const RowCells cells = keyCells(*index, ordinals, *rows, row);
        std::vector<int> changed;
        std::vector<RowCell> values;
        for (size_t c = 0; c < ordinals.size(); ++c) {
            const Vector& column = rows->column(static_cast<int>(c)).vector();
            if (rule.ignoreNull && column.isNullAt(row)) continue;
            changed.push_back(ordinals[c]);
            values.push_back(checkedCell(entry, c, column, row));
        }
        const bool isKeyed = !index->hasNull(cells);
        for (;;) {
            const uint64_t found = isKeyed ? statement->find(*index, index->keyOf(cells), entry.name) : RowPart::kNoRow;
            // Between the look and the change another transaction may insert the key, or erase the row.
            if (found == RowPart::kNoRow) {
                const RowPart::Result result = statement->insert(pageCells(entry, ordinals, types, *rows, row));
                if (result.outcome == RowOutcome::Duplicate && result.index == index) continue;
                requireDone(result, entry.name);
                written.push_back(result.row);
                ++report.inserted;
                break;
            }
            const RowPart::Result result = statement->update(found, changed, values);
            if (result.outcome == RowOutcome::Changed) continue;
            requireDone(result, entry.name);
            written.push_back(found);
            ++report.updated;
            break;
        }
    }
    // Cells that are kept, where NULL is ignored, are known only now.
    if (!entry.rowTable->checks.empty()) requireRules(entry, *readRows(*statement, entry, written));
    statement->finish();
    return report;
}

std::vector<int32_t> RowTable::insertNew(const MemoryTable& given, const std::vector<std::string>& keyColumns,
                                         Transaction* transaction) {
    const std::unique_ptr<RowStatement> statement = begin(transaction, Purpose::Change);
    const TableEntry& entry = this->entry();
    const Ref<MemoryTable> rows = withColumnsOf(entry, given, entry.newColumns);
    const std::vector<int> ordinals = ordinalsOf(entry);
    const std::shared_ptr<const RowPart::Indexes> all = statement->part().indexes();
    const RowColumns types = statement->part().columns();
    RowPart::Indexes judged;
    for (const auto& index : *all) {
        if (keyColumns.empty() && index->definition().isUnique) judged.push_back(index);
    }
    if (!keyColumns.empty()) judged.push_back(requiredIndex(entry, *all, keyColumns));
    const RowChecks checks(entry, *rows);
    const auto isJudged = [&](const std::shared_ptr<RowKeyIndex>& index) {
        return std::find(judged.begin(), judged.end(), index) != judged.end();
    };
    std::vector<int32_t> inserted;
    for (int32_t row = 0; row < rows->rowCount(); ++row) {
        requireRoom(row);
        const std::vector<RowCell> cells = pageCells(entry, ordinals, types, *rows, row);
        checks.require(row);
        const auto isThere = [&](const std::shared_ptr<RowKeyIndex>& index) {
            const RowCells key = keyCells(*index, ordinals, *rows, row);
            return !index->hasNull(key) && statement->find(*index, index->keyOf(key), entry.name) != RowPart::kNoRow;
        };
        while (!std::any_of(judged.begin(), judged.end(), isThere)) {
            const RowPart::Result result = statement->insert(cells);
            // Another transaction may have inserted the key since the look.
            if (result.outcome == RowOutcome::Duplicate && isJudged(result.index)) continue;
            requireDone(result, entry.name);
            inserted.push_back(row);
            break;
        }
    }
    if (transaction != nullptr) transaction->checkChanges();
    statement->finish();
    return inserted;
}

void RowTable::createIndex(const std::string& indexName, const std::vector<std::string>& columnNames, bool isUnique) {
    changeDefinition([&](TableEntry& table) {
        refuseKnownIndex(table, indexName);
        table.rowTable->indexes.push_back({indexName, storedNames(table, columnNames), isUnique, false, false});
    });
}

}  // namespace pelorus
