// The distinct rows of a select distinct or a union, each at its first occurrence.
#pragma once

#include "runtime/function/context.h"
#include "sql/operators/collect_rows.h"

namespace pelorus {

// Returns the distinct rows of `source` that pass `filter`, with `data` as columns. The caller reads only the first
// `needed`: once these are found the rest is not read.
Ref<MemoryTable> distinctRows(const RowSource& source, Filter& filter, const std::vector<RowItem>& items,
                              int64_t needed, Context& context);

// Returns the distinct rows of a table in memory. The first `keys` columns decide; the others come from the first such
// row. Throws UserError where a column that decides holds lists.
Ref<MemoryTable> distinctRows(const Ref<MemoryTable>& rows, int keys, int64_t needed);

}  // namespace pelorus
