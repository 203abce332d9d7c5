// Placeholders for the parts of a query that are computed before it is bound, in a query that is only explained.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// Replaces inner queries, calls of scripts' functions that read no column, and all calls that read none and may change
// something. Nothing is computed. `source` are the rows that the query reads. Throws UserError for what is wrong in a
// part, as when the query is run.
Ref<Query> withUnknownParts(const Query& query, const RowSource& source, Context& context);

}  // namespace pelorus
