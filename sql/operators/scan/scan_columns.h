// Columns of the rows of a source, in memory.
#pragma once

#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/operators/scan/filter.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// Returns the named columns of the rows that pass, all partitions in order. Columns of which all rows pass are shared
// with a table in memory until someone changes one.
Ref<MemoryTable> scanColumns(const RowSource& source, Filter& filter, const std::vector<int>& columns,
                             Context& context);

}  // namespace pelorus
