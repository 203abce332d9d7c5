// The check constraints of a row table over rows that are about to be written.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/table/table.h"
#include "storage/catalog/catalog.h"

namespace pelorus {

// Which of the rows the checks refuse. The expressions are evaluated once, for all rows together, by the built-in
// pgFailedRows of the language that they are written in. Used by one thread.
class RowChecks {
public:
    // `rows` have all columns of the entry, in its order, under any names. Throws UserError when an expression fails.
    RowChecks(const TableEntry& entry, const MemoryTable& rows);
    // Throws ConstraintError when a check is false for the row: of several checks the first one by name.
    void require(int64_t row) const;

private:
    const TableEntry& entry_;
    std::vector<const RowTableCheck*> failed_;  // of each row; null: none. Empty: no row fails
};

// Throws ConstraintError when one of the rows has NULL in a column that takes none, or fails a check.
void requireRules(const TableEntry& entry, const MemoryTable& rows);

}  // namespace pelorus
