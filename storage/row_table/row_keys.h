// The keys of given rows in the indexes of a row table.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/table/table.h"
#include "storage/catalog/catalog.h"
#include "storage/rows/row_part.h"

namespace pelorus {

class RowStatement;

// Returns the unique index of exactly these columns; null when there is none.
std::shared_ptr<RowKeyIndex> uniqueIndexOf(const RowPart::Indexes& indexes, std::vector<int> columns);
// Returns the unique index of exactly the columns of these names. Throws UserError (<NoSuchKey>) when there is none.
std::shared_ptr<RowKeyIndex> requiredIndex(const TableEntry& entry, const RowPart::Indexes& indexes,
                                           const std::vector<std::string>& keyColumns);
// Returns the cells that a row has in the columns of an index.
RowCells keyCells(const RowKeyIndex& index, const std::vector<int>& ordinals, const MemoryTable& rows, int64_t row);
// Return the positions in pages, and the stored names, of the columns of these names. Throw UserError for an unknown
// one.
std::vector<int> keyOrdinals(const TableEntry& entry, const std::vector<int>& ordinals,
                             const std::vector<std::string>& names);
std::vector<std::string> storedNames(const TableEntry& entry, const std::vector<std::string>& names);
// Returns rows as the transaction of a statement sees them now; all are there.
Ref<MemoryTable> readRows(const RowStatement& statement, const TableEntry& entry, const std::vector<uint64_t>& rows);

}  // namespace pelorus
