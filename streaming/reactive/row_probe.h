// Whether an expression gives each row what the row alone decides, found by running it.
#pragma once

#include "interpreter/expression/expression_program.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Returns whether an expression gives some row another value beside other rows than by itself: rank(x), sort(x), a sum.
// It is run over three rows that are made up, together and one by one, so it must not change anything. False, too,
// where it takes no such rows, or gives what is no value for each row.
bool mixesRows(const ExpressionProgram& expression, const TableSchema& columns, Context& context);

}  // namespace pelorus
