// Queries within the expressions of a query.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Replaces the subqueries in the conditions and select list of a query by their results: one cell is a scalar, one
// column a vector. `columns` are those of the rows that the query reads. Throws UserError, before any subquery is run,
// when one names a column of the query.
NodeRef withResults(const NodeRef& expression, Context& context);  // of one expression
Ref<Query> withSubqueries(const Query& query, const TableSchema& columns, Context& context);

}  // namespace pelorus
