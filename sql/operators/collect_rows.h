// The rows of a select that computes each from one row of its source.
#pragma once

#include <string>
#include <vector>

#include "sql/operators/scan/scan.h"

namespace pelorus {

// A column of the result. REQUIRES of `value`: elementwise.
struct RowItem {
    std::string name;
    ColumnExpression value;
};

// A column of the item's type for the items of so many rows, of which there are none yet.
Ref<Vector> columnFor(const RowItem& item, int64_t rows);

// Rows of `source` that pass `filter`, in its order, with the items as columns. Nobody looks behind the first `needed`
// of them: the result may end there, and what lies behind is not read where that can be told.
Ref<MemoryTable> collectRows(const RowSource& source, Filter& filter, const std::vector<RowItem>& items, int64_t needed,
                             Context& context);

}  // namespace pelorus
