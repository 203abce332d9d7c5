#include "sql/plan/row_source.h"

#include <algorithm>

namespace pelorus {

bool hasTupleColumns(const TableSchema& columns) {
    return std::any_of(columns.begin(), columns.end(),
                       [](const ColumnSchema& c) { return storageOf(c.type) == Storage::Boxed; });
}

}  // namespace pelorus
