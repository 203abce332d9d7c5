// What the changes of a row table share: the cells that its pages get, and the checks of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/table/table.h"
#include "storage/catalog/catalog.h"
#include "storage/rows/row_part.h"

namespace pelorus {

class RowStore;

// Returns the positions in pages of the columns of the schema. REQUIRES: it is a row table.
std::vector<int> ordinalsOf(const TableEntry& entry);
std::vector<RowIndexDefinition> indexesOf(const TableEntry& entry);
// Returns the types of all columns that pages have, up to the last one of the table: those that were dropped, or are
// kept free, keep the type that rows have.
RowColumns pageColumns(const TableEntry& entry, const RowStore& store);

// Returns the cell of a row in a column of the table. Throws UserError for NULL where there is none, and for a value
// that is too long.
RowCell checkedCell(const TableEntry& entry, size_t column, const Vector& values, int64_t row);
// Returns the cells that a row of the table has in a page of these columns. Throws UserError as checkedCell does.
std::vector<RowCell> pageCells(const TableEntry& entry, const std::vector<int>& ordinals, const RowColumns& columns,
                               const MemoryTable& rows, int64_t row);

// Returns rows in memory with the columns of the table, of their cells in its order.
Ref<MemoryTable> rowsOfCells(const TableEntry& entry, const std::vector<RowCells>& cells);

// Throws ConstraintError (<DuplicateKey>) when an index refused the change. REQUIRES: the row is locked, and there.
void requireDone(const RowPart::Result& result, const std::string& table);
// Throws UserError (<ConcurrentChange>) for a row that a transaction of repeatable read may not change, since another
// has.
[[noreturn]] void refuseConcurrent(const std::string& table);
// Throws OutOfMemory, between changes, when the budget has no room for the next rows, and UserError when the running
// request is cancelled.
void requireRoom(int64_t row);

}  // namespace pelorus
