// Computation of what a query reads: of the nodes that the binder made of its `from` (plan/source_node.h).
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"
#include "sql/plan/row_source.h"
#include "sql/plan/source_node.h"

namespace pelorus {

// Computes the source of a query, each of its nodes once and in the order in which they are written. Joins are of the
// rows that their sides give. Throws UserError when a part of `from` gives no table.
RowSource runSource(const Query& query, const SourceNode& source, Context& context);
// Binds what the query reads and computes it.
RowSource resolveSource(const Query& query, Context& context);

// Returns the table that a part of `from` denotes, or the dictionary: a variable, a query, a call that returns one.
Value tableValue(const NodeRef& node, Context& context);

}  // namespace pelorus
