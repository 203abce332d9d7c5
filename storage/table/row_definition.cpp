// Changes of a row table's constraints and indexes: rows that are there must satisfy them.
#include <algorithm>

#include "storage/commit/row_commit.h"
#include "storage/rows/row_store.h"
#include "storage/table/row_cells.h"
#include "storage/table/row_checks.h"
#include "storage/table/row_keys.h"
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

void RowTable::changeDefinition(const std::function<void(TableEntry& table)>& change) {
    const std::unique_ptr<RowCommit> commit = begin();
    TableEntry wanted = entry();
    change(wanted);
    const TableEntry rules = newRules(entry(), wanted);
    if (!rules.rowTable->required.empty() || !rules.rowTable->checks.empty())
        requireRules(rules, *readRows(*commit, entry(), commit->part().rows(commit->view())));
    const std::vector<RowIndexDefinition> before = indexesOf(entry());
    commit->part().setIndexes(indexesOf(wanted), commit->awaitDurable());
    try {
        changeEntry(change);
    } catch (...) {
        commit->part().setIndexes(before);
        throw;
    }
    commit->rows().indexRevision = entry().revision;
}

}  // namespace pelorus
