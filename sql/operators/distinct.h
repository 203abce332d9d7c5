// The different rows of a select distinct or a union, each where it stands first.
#pragma once

#include "sql/operators/collect_rows.h"

namespace pelorus {

// Of the rows of `source` that pass `filter`, with the items as columns. Nobody looks behind the first `needed`: what
// follows where they are found is not read.
Ref<MemoryTable> distinctRows(const RowSource& source, Filter& filter, const std::vector<RowItem>& items,
                              int64_t needed, Context& context);

// Of rows that are there. The first `keys` columns decide; the others come from the row that stands first. Throws
// UserError where a column that decides holds lists.
Ref<MemoryTable> distinctRows(const Ref<MemoryTable>& rows, int keys, int64_t needed);

}  // namespace pelorus
