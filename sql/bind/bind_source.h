// Binder of `from` and `join`: makes the nodes of what a query reads. Variables and tables of catalogs are looked up;
// no query, no file, no call is computed.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/source_node.h"

namespace pelorus {

// Returns what a query reads. Throws UserError when it names no table, or one that nobody knows.
SourceRef bindSource(const Query& query, Context& context);
// Returns what one part of `from` denotes; `alias` is the name that the query gives it, if any.
SourceRef bindTable(const NodeRef& code, const std::string& alias, Context& context);

}  // namespace pelorus
