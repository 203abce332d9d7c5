// Updates and deletes rows of row tables.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/append/row_access.h"
#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

// What a statement does to rows that it has seen.
struct ComputedChange {
    RowAccess::RowUpdate update;
    std::vector<int32_t> matched;  // positions of the rows that satisfy the conditions, ascending
    int64_t count = 0;             // of what matched: of rows, or of those of the statement's `from`
    Ref<MemoryTable> met;          // all rows: as they will be, or as they were before a delete

    // Sets the positions of an update to the matched rows in which a cell becomes another one.
    void chooseChanged(const MemoryTable& before);
};

// An update or delete of one row table, whoever computes it.
struct ChangeStatement {
    std::string table;  // its name, for errors
    // Returns which rows are of interest: see RowAccess::rowsToChange.
    std::function<std::vector<ColumnConstraint>()> fixed;
    // Computes the change of rows; it is called again for those that others have changed meanwhile. It is called, as
    // `fixed` is, in the transaction of the statement, in which queries read.
    std::function<ComputedChange(const RowAccess::Rows& seen)> compute;
    // Is given the rows that match, before the change is committed; may be empty.
    std::function<void(const Ref<MemoryTable>& met)> takesMet;
};

// Runs the change, and returns the number of rows that match. The change is computed from a snapshot and applied if the
// rows are still those; else it is computed again. Checks no right. Throws as RowAccess::changeRows does.
int64_t changeRowsBy(const ChangeStatement& change, RowAccess& access, Context& context);

// Computes an update or delete of the language over rows. Cells that stay as they are make no change; their rows have
// matched all the same.
ComputedChange computeRowChange(const Query& query, const Table& table, const RowAccess::Rows& seen, Context& context);

// Runs an update or delete of the language on a row table, likewise.
int64_t changeRowTable(const Query& query, const PartitionedTable& table, RowAccess& access, Context& context);

}  // namespace pelorus
