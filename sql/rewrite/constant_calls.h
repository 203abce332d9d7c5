// Constant folding of calls that read no column.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Replaces each call of a script's function that reads no column by its result: it runs once a query, before the first
// row, and its errors are the query's. Columns keep the names that were written.
Ref<Query> withConstantCalls(const Query& query, const TableSchema& columns, Context& context);

}  // namespace pelorus
