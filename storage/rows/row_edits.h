// Changes of a row table's rows as the log has them.
#pragma once

#include <cstdint>
#include <vector>

#include "common/io/bytes.h"
#include "storage/rows/row_layout.h"
#include "storage/rows/undo.h"

namespace pelorus {

// A change of one row.
struct RowChange {
    RowChangeKind kind = RowChangeKind::Insert;
    uint64_t row = 0;          // row id
    std::vector<int> columns;  // columns that it writes: all for an Insert, none for an Erase
    RowCells cells;
};

// The changes of one transaction in one table, in their order. A plain value. Recovery needs nothing else to apply
// them: the types of the table's columns are with them.
struct RowEdits {
    uint64_t table = 0;
    RowColumns columns;
    std::vector<RowChange> changes;
};

// Appends the encoded changes.
void encodeRowEdits(const RowEdits& edits, std::string& bytes);
// Returns the changes that encodeRowEdits appended. Throws SystemError when bytes are malformed.
RowEdits decodeRowEdits(ByteReader& reader);

}  // namespace pelorus
