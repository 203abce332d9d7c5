// What a change means that was computed where '' is NULL, of rows that have both.
#pragma once

#include "runtime/append/row_access.h"
#include "storage/catalog/catalog.h"

namespace pelorus {

class RowStatement;

// A change, and the rows that it is a change of.
struct MeantChange {
    Ref<MemoryTable> rows;  // all that were seen
    RowAccess::RowUpdate update;
    bool isStale = false;  // a row is gone
};

// Puts '' back into rows that were seen without it, and into the new values: over '' NULL changes nothing.
MeantChange withEmptyTexts(const RowStatement& statement, const TableEntry& entry, const RowAccess::Rows& seen,
                           const RowAccess::RowUpdate& update);

}  // namespace pelorus
