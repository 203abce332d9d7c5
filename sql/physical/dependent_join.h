// Sub-queries that name columns of the query around them, computed for all rows at once.
//
// A sub-query depends on its outer row only through the values of the columns that it names. The distinct ones are its
// domain: a table that stands beside the sub-query's own tables, joined by the conditions that name them. One run over
// the domain gives the result for each of its rows, which then becomes a column of the outer rows. (Neumann and Kemper,
// Unnesting Arbitrary Queries, 2015.)
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/bind/plan_select.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// Whether expressions of a query contain sub-queries.
bool holdsSubqueries(const Query& query);
bool holdsSubqueries(const NodeRef& expression);

// A query over rows, with its sub-queries that name columns of them replaced by columns.
struct DependentQuery {
    NamedQuery query;
    RowSource source;
};
// Replaces them. The conditions in front that need no such sub-query are applied first, and are no longer in the query.
// Returns both as they are where no sub-query names a column. Throws UserError for a scalar sub-query with several rows
// for one outer row, and for forms that cannot be computed so: unions, limits of groups.
DependentQuery withDependentColumns(NamedQuery query, RowSource source, Context& context);

// Does the same for a change of a table in memory: `rows`, which are all of them, become a copy with columns more.
Ref<Query> withDependentColumns(const Query& query, Ref<MemoryTable>& rows, Context& context);

}  // namespace pelorus
