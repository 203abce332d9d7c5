// Changes of a row table's constraints and indexes: rows that are there must satisfy them.
#include <algorithm>

#include "storage/rows/row_store.h"
#include "storage/table/entry_columns.h"
#include "storage/table/row_cells.h"
#include "storage/table/row_checks.h"
#include "storage/table/row_facts.h"
#include "storage/table/row_keys.h"
#include "storage/table/row_statement.h"
#include "storage/table/row_table.h"

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

// Returns the rows in the columns of another entry of the table: NULL in those that are new.
static Ref<MemoryTable> inColumnsOf(const TableEntry& after, const TableEntry& before, const MemoryTable& rows) {
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (size_t c = 0; c < after.schema.size(); ++c) {
        names.push_back(after.schema[c].name);
        size_t old = 0;
        while (old < before.schema.size() && before.storedNameOf(old) != after.storedNameOf(c)) ++old;
        columns.push_back(old < before.schema.size()
                              ? rows.column(static_cast<int>(old))
                              : filledColumn(after.schema[c].type, after.schema[c].scale, rows.rowCount()));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

void RowTable::changeDefinition(const std::function<void(TableEntry& table)>& change) {
    const std::unique_ptr<RowStatement> statement = begin(nullptr, Purpose::Define);
    TableEntry wanted = entry();
    giveStoredNames(wanted);
    change(wanted);
    placeRowColumns(wanted);
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
        if (!rules.rowTable->required.empty() || !rules.rowTable->checks.empty()) {
            const Ref<MemoryTable> rows = readRows(*statement, entry(), statement->part().rows(statement->view()));
            requireRules(rules, *inColumnsOf(rules, entry(), *rows));
        }
        changeEntry(change);
    } catch (...) {
        statement->part().setIndexes(before);
        throw;
    }
}

}  // namespace pelorus
