// The distinct rows of a table in memory: of a union, and below a sort.
#pragma once

#include <cstdint>

#include "runtime/table/table.h"

namespace pelorus {

// Returns the distinct rows of a table in memory. The first `keys` columns decide; the others come from the first such
// row. Throws UserError where a column that decides holds lists.
Ref<MemoryTable> distinctRows(const Ref<MemoryTable>& rows, int keys, int64_t needed);

}  // namespace pelorus
