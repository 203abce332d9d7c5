// The distinct rows of a table in memory: of a union, and below a sort.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

// Returns the number of the group of equal rows that each row belongs to, numbered from 0 on by their first rows. The
// first `keys` columns decide, NULL being equal to NULL. Throws UserError where a column that decides holds lists.
std::vector<int32_t> groupNumbersOf(const MemoryTable& rows, int keys);

// Returns the distinct rows of a table in memory. The first `keys` columns decide; the others come from the first such
// row. Throws UserError where a column that decides holds lists.
Ref<MemoryTable> distinctRows(const Ref<MemoryTable>& rows, int keys, int64_t needed);

}  // namespace pelorus
