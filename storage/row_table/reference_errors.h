// The errors of foreign keys, and the values that their actions take from definitions.
#pragma once

#include <string>

#include "runtime/value/value.h"
#include "storage/row_table/row_references.h"

namespace pelorus {

// Throws ConstraintError for a row of the child whose key no row of the parent has.
[[noreturn]] void refuseMissingParent(const OpenForeignKey& key, const RowCells& cells);
// Throws ConstraintError for a key of the parent, now gone, that a row of the child has.
[[noreturn]] void refuseReferredRow(const OpenForeignKey& key, const RowCells& cells);
// Throws UserError (<OutOfRange>) for a key of the parent that the type of the child's column does not hold.
[[noreturn]] void refuseUnfit(const OpenForeignKey& key);

// Returns one element with the default of a column; NULL where it has none. The expression is evaluated by the built-in
// pgDefaultValue of the language that it is written in.
Value defaultOf(const TableEntry& table, const std::string& storedName);

}  // namespace pelorus
