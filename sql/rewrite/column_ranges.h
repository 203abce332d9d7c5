// c1...c9 in the list of a select.
#pragma once

#include <vector>

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

bool holdsColumnRange(const Node& node);

// Expands a select expression with ranges: operators and elementwise functions pair ranges up, other functions take the
// columns of a range as arguments. Throws UserError when ranges differ in length, or a column is missing.
NodeList expandColumnRanges(const NodeRef& node, const TableSchema& columns, Context& context);

}  // namespace pelorus
