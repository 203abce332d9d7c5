#include "sql/plan/row_source.h"

#include <algorithm>

namespace pelorus {

RowSource sourceOf(Ref<MemoryTable> rows) {
    RowSource source;
    source.table = Ref<Table>(rows);
    source.snapshot = std::make_shared<MemoryTableSnapshot>(std::move(rows));
    return source;
}

bool hasTupleColumns(const TableSchema& columns) {
    return std::any_of(columns.begin(), columns.end(),
                       [](const ColumnSchema& c) { return storageOf(c.type) == Storage::Boxed; });
}

}  // namespace pelorus
