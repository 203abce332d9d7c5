// Constant folding of calls that read no column.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Whether an expression reads a column: by name, or all of them or of their rows, as count(*), x1...x3, and functions
// over windows do.
bool readsColumn(const NodeRef& node, const TableSchema& columns);
// Whether a node is a call of a script's function that reads no column. Throws UserError for names that it has and
// nothing defines.
bool isConstantCall(const NodeRef& node, const TableSchema& columns, Context& context);

// Replaces each call of a script's function that reads no column by its result: it runs once a query, before the first
// row, and its errors are the query's. Columns keep the names that were written.
Ref<Query> withConstantCalls(const Query& query, const TableSchema& columns, Context& context);

}  // namespace pelorus
