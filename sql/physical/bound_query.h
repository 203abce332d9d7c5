// A select that is bound and not run: no row is read, and nothing that may change something is called.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/node.h"
#include "sql/plan/row_source.h"
#include "sql/plan/source_node.h"

namespace pelorus {

// The plan of a query over the columns of its source. Values that the query would compute first are placeholders.
struct BoundQuery {
    SourceRef source;  // null for select 1 + 1
    PlanRef plan;
};
// Throws UserError where the query itself would before it reads a row, and for a call after `from` that may change
// something.
BoundQuery boundQuery(const Query& query, Context& context);

// Replaces inner queries, calls of scripts' functions that read no column, and all calls that read none and may change
// something, by placeholders. Nothing is computed. `source` are the rows that the query reads. Throws UserError for
// what is wrong in a part, as when the query is run.
Ref<Query> withUnknownParts(const Query& query, const RowSource& source, Context& context);

// Returns a query's result columns, as a table without rows; ANY where only rows determine the type.
Ref<MemoryTable> boundTable(const Query& query, Context& context);

}  // namespace pelorus
