// Aggregates of constants.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// count(2) counts rows: rewrites an expression so that its aggregates of constants see them once for each row.
NodeRef withRepeatedConstants(const NodeRef& item, const TableSchema& columns, Context& context);

}  // namespace pelorus
