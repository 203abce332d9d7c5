// A select that is bound and not run: no row is read, and nothing that may change something is called.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/node.h"
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

// Returns a query's result columns, as a table without rows; ANY where only rows determine the type.
Ref<MemoryTable> boundTable(const Query& query, Context& context);

}  // namespace pelorus
