// A copy of an expression or query with parts replaced.
#pragma once

#include <functional>

#include "runtime/code/expression.h"
#include "runtime/code/query.h"

namespace pelorus {

// `replace` is called for every node from the top down: a non-null result replaces the node, null means to descend into
// its parts. Parts that stay the same are shared with the original; lambdas and inner queries are not entered.
using Replace = std::function<NodeRef(const NodeRef&)>;
NodeRef rewrite(const NodeRef& node, const Replace& replace);

// Rewrites all expressions of a query; the sources stay.
Ref<Query> rewriteQuery(const Query& query, const Replace& replace);

// Returns a query that shares every clause, to be changed.
Ref<Query> copyQuery(const Query& query);

}  // namespace pelorus
