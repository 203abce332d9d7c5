// RowMessage turns rows of any table into BLOBs and back: a replay of tables with different columns writes them to one
// table, and clients take them apart by the types of the columns.
//
// A row is its values in the order of the columns, as they are in memory: strings end with a zero byte, a BLOB begins
// with its length (int), an array with a block of its own (1 row). Scales of decimals are not part of it.
#pragma once

#include <string_view>

#include "runtime/table/table.h"

namespace pelorus {

// Returns a BLOB vector with an element for each row. Throws UserError when a column is of a type that has no such
// form.
Ref<Vector> rowMessages(const MemoryTable& rows);

// Returns the rows of a table with these columns. `messages` is a BLOB or STRING vector; `chosen` are the numbers of
// the elements to read. Throws UserError naming the element when it is not of that form.
Ref<MemoryTable> rowsOfMessages(const TableSchema& columns, const Vector& messages, const std::vector<int32_t>& chosen);

}  // namespace pelorus
