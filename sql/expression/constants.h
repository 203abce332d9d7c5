// Values of parts of a query that read no column.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Sets `value` to that of a subexpression that reads no column, as `d[0]` of a variable d; false for all others, and
// where it has none.
bool constantValue(const Node& node, const TableSchema& columns, Context& context, Value& value);
// Replaces such subexpressions by constants.
NodeRef withConstants(const NodeRef& node, const TableSchema& columns, Context& context);

}  // namespace pelorus
