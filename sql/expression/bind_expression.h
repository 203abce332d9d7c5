// Binding of an expression of a query over the columns of its source.
//
// Names are columns first, then variables of the caller's scope, then functions. Subexpressions without a column are
// evaluated once.
#pragma once

#include "interpreter/expression/bound.h"
#include "interpreter/expression/expression_program.h"
#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Binds an expression: with a type where each row has one value of it, else as code that runs over whole columns.
// Throws UserError for names that nothing defines, with the nearest column. Nothing of the code runs, but for parts
// without columns.
BoundRef bindOverColumns(const NodeRef& code, const TableSchema& columns, Context& context);
// Binds an expression and makes it ready to run.
ExpressionProgram bindProgram(const NodeRef& code, const TableSchema& columns, Context& context);

// Throws UserError at the position of the first name that is neither column, variable nor function.
void requireKnownNames(const Node& node, const TableSchema& columns, Context& context);

}  // namespace pelorus
