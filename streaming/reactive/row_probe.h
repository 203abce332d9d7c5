// Finds by running an expression whether its value for a row depends on that row alone.
#pragma once

#include "interpreter/expression/expression_program.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Returns whether the value of an expression for some row depends on other rows, as with rank(x), sort(x) or a sum. It
// runs over three made-up rows, together and one by one, so it must not change anything. False, too, when it fails for
// such rows, or has no value for each row.
bool mixesRows(const ExpressionProgram& expression, const TableSchema& columns, Context& context);

}  // namespace pelorus
