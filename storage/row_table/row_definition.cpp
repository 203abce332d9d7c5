// Changes of a row table's constraints and indexes: rows that are there must satisfy them.
#include <algorithm>

#include "common/error.h"
#include "storage/catalog/foreign_key.h"
#include "storage/folder/local_storage.h"
#include "storage/row_table/reference_queue.h"
#include "storage/row_table/row_cells.h"
#include "storage/row_table/row_checks.h"
#include "storage/row_table/row_keys.h"
#include "storage/row_table/row_statement.h"
#include "storage/row_table/row_table.h"
#include "storage/rows/row_store.h"
#include "storage/table/entry_columns.h"
#include "storage/table/row_facts.h"

namespace pelorus {

// Returns the rules of `after` that `before` has not: what the rows that are there may not satisfy.
static TableEntry newRules(const TableEntry& before, const TableEntry& after) {
    TableEntry rules = after;
    const RowTableFacts& known = *before.rowTable;
    std::erase_if(rules.rowTable->required, [&](const std::string& column) {
        return std::find(known.required.begin(), known.required.end(), column) != known.required.end();
    });
    std::erase_if(rules.rowTable->checks, [&](const RowTableCheck& check) {
        return std::any_of(known.checks.begin(), known.checks.end(), [&](const RowTableCheck& other) {
            return other.name == check.name && other.expression == check.expression;
        });
    });
    return rules;
}

using FilledColumns = std::vector<std::pair<std::string, Value>>;

// Returns the rows in the columns of another entry of the table: in those that are new the values that they are filled
// with, else NULL.
static Ref<MemoryTable> inColumnsOf(const TableEntry& after, const TableEntry& before, const MemoryTable& rows,
                                    const FilledColumns& filled) {
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (size_t c = 0; c < after.schema.size(); ++c) {
        names.push_back(after.schema[c].name);
        size_t old = 0;
        while (old < before.schema.size() && before.storedNameOf(old) != after.storedNameOf(c)) ++old;
        const auto given = std::find_if(filled.begin(), filled.end(),
                                        [&](const auto& each) { return each.first == after.schema[c].name; });
        if (old < before.schema.size()) {
            columns.push_back(rows.column(static_cast<int>(old)));
        } else if (given != filled.end()) {
            columns.push_back(given->second);
        } else {
            columns.push_back(filledColumn(after.schema[c].type, after.schema[c].scale, rows.rowCount()));
        }
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

// Returns the stored names of columns that `after` has a place for and `before` has not.
static std::vector<std::string> newPlaces(const TableEntry& before, const TableEntry& after) {
    const auto known = static_cast<std::ptrdiff_t>(before.rowTable->columns.size());
    return {after.rowTable->columns.begin() + known, after.rowTable->columns.end()};
}

// Writes values of columns that the table does not have yet, under the lock of its definition. Their places in pages
// are kept for them first, so that no other column ever gets them, whatever becomes of these.
void RowTable::fillColumns(const TableEntry& wanted, const std::vector<uint64_t>& rows, const FilledColumns& filled) {
    const std::vector<std::string> places = newPlaces(entry(), wanted);
    changeEntry([&](TableEntry& table) {
        table.rowTable->columns.insert(table.rowTable->columns.end(), places.begin(), places.end());
        table.retiredNames.insert(table.retiredNames.end(), places.begin(), places.end());
    });
    std::shared_ptr<StoredRows> stored = storage_->rows().find(entry().id);
    stored->part->addColumns(pageColumns(wanted, storage_->rows()));
    const std::vector<int> ordinals = ordinalsOf(wanted);
    const std::unique_ptr<StoredTransaction> transaction = storage_->beginTransaction({});
    RowStatement statement(*storage_, transaction.get(), std::move(stored), std::nullopt);
    std::vector<size_t> columns;
    std::vector<int> written;
    std::vector<Value> values;
    for (const auto& [name, given] : filled) {
        columns.push_back(positionOf(wanted, name));
        written.push_back(ordinals[columns.back()]);
        values.push_back(withinLimits(given, name));
    }
    for (size_t row = 0; row < rows.size(); ++row) {
        requireRoom(static_cast<int64_t>(row));
        std::vector<RowCell> cells;
        for (size_t c = 0; c < columns.size(); ++c)
            cells.push_back(checkedCell(wanted, columns[c], values[c].vector(), static_cast<int64_t>(row)));
        requireDone(statement.update(rows[row], written, cells), wanted.name);
    }
    statement.finish();
    transaction->commit();
}

static bool hasUniqueIndex(const TableEntry& table, std::vector<std::string> columns) {
    std::sort(columns.begin(), columns.end());
    return std::any_of(table.rowTable->indexes.begin(), table.rowTable->indexes.end(), [&](const RowTableIndex& index) {
        std::vector<std::string> own = index.columns;
        std::sort(own.begin(), own.end());
        return index.isUnique && own == columns;
    });
}

// Throws where a key to the table would have no unique index there.
static void requireKeyOf(const TableEntry& parent, const ForeignKey& key, const std::string& child) {
    if (hasUniqueIndex(parent, key.parentColumns)) return;
    throw UserError("<StillReferenced>The foreign key " + key.name + " of the table " + child +
                        " needs a unique index of the table " + parent.name + " of the columns that it refers to.",
                    "Drop the foreign key first.");
}

// Requires that foreign keys to the table keep their indexes, which the table before had.
void RowTable::requireReferredKeys(const TableEntry& wanted) const {
    std::vector<ReferringTable> children = wanted.rowTable->referredBy;
    for (const ForeignKey& key : foreignKeysTo(wanted, wanted)) requireKeyOf(wanted, key, wanted.name);
    for (const ReferringTable& name : children) {
        const std::optional<TableEntry> child = storage_->catalog().findTable(name.database, name.name);
        if (!child) continue;
        for (const ForeignKey& key : foreignKeysTo(*child, wanted)) requireKeyOf(wanted, key, child->name);
    }
}

void RowTable::changeDefinition(const std::function<void(TableEntry& table)>& change) {
    changeDefinition(change, {});
}

void RowTable::changeDefinition(const std::function<void(TableEntry& table)>& change, const FillColumns& fill) {
    const std::unique_ptr<RowStatement> statement = begin(nullptr, Purpose::Define);
    TableEntry wanted = entry();
    giveStoredNames(wanted);
    change(wanted);
    placeRowColumns(wanted);
    requireReferredKeys(wanted);
    // Indexes of new columns are made with the next change: their rows have NULL there, which never is a duplicate.
    std::vector<RowIndexDefinition> indexes = indexesOf(wanted);
    const auto columnCount = static_cast<int>(statement->part().columns().size());
    std::erase_if(indexes, [&](const RowIndexDefinition& index) {
        return std::any_of(index.columns.begin(), index.columns.end(),
                           [&](int column) { return column >= columnCount; });
    });
    const std::vector<RowIndexDefinition> before = indexesOf(entry());
    statement->part().setIndexes(indexes, statement->transaction().awaitPlaced());
    try {
        // Keys are looked at before NULLs, as PostgreSQL does.
        const TableEntry rules = newRules(entry(), wanted);
        const bool hasRules = !rules.rowTable->required.empty() || !rules.rowTable->checks.empty();
        std::vector<uint64_t> rows;
        if (hasRules || fill) rows = statement->part().rows(statement->view());
        FilledColumns filled;
        if (fill && !rows.empty()) filled = fill(static_cast<int64_t>(rows.size()));
        if (hasRules) {
            const Ref<MemoryTable> there = readRows(*statement, entry(), rows);
            requireRules(rules, *inColumnsOf(rules, entry(), *there, filled));
        }
        const std::vector<ForeignKey>& known = entry().rowTable->foreignKeys;
        for (const ForeignKey& key : wanted.rowTable->foreignKeys) {
            const bool isNew = std::none_of(known.begin(), known.end(), [&](const ForeignKey& other) {
                return other.columns == key.columns && other.parentDatabase == key.parentDatabase &&
                       other.parentTable == key.parentTable && other.parentColumns == key.parentColumns;
            });
            // A column that is new here is NULL in all rows, which refers to nothing, or is filled below.
            const bool isOfNewColumn =
                std::any_of(key.columns.begin(), key.columns.end(), [&](const std::string& name) {
                    const std::vector<std::string>& places = entry().rowTable->columns;
                    return std::find(places.begin(), places.end(), name) == places.end();
                });
            if (isNew && isOfNewColumn && !filled.empty())
                throw UserError(
                    "<NotSupported>A column with a default gets no foreign key before its rows have values.",
                    "Add the column first, then the foreign key.");
            if (isNew && !isOfNewColumn) ReferenceQueue::requireParents(key, *this, storage_, statement->transaction());
        }
        const std::vector<std::string> places =
            filled.empty() ? std::vector<std::string>() : newPlaces(entry(), wanted);
        if (!filled.empty()) {
            fillColumns(wanted, rows, filled);
            statement->part().setIndexes(indexesOf(wanted), statement->transaction().awaitPlaced());
        }
        changeEntry([&](TableEntry& table) {
            for (const std::string& place : places) std::erase(table.retiredNames, place);
            change(table);
        });
    } catch (...) {
        statement->part().setIndexes(before);
        throw;
    }
}

}  // namespace pelorus
