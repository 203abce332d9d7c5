// Projection: the rows of a select that computes each from one row of its source.
#pragma once

#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "sql/operators/scan/scan.h"
#include "sql/plan/row_item.h"

namespace pelorus {

// Makes a column of the expression's type with capacity for so many rows; it is empty.
Ref<Vector> columnFor(const RowItem& item, int64_t rows);

// Collects the rows of `source` that pass `filter`, in its order, with `data` as columns. The caller reads only the
// first `needed` of them: the result may end there, and later blocks are not read where that can be known.
Ref<MemoryTable> collectRows(const RowSource& source, Filter& filter, const std::vector<RowItem>& items, int64_t needed,
                             Context& context);

}  // namespace pelorus
