// Conditions of a query that a join lets reach its sides.
#pragma once

#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/source_node.h"

namespace pelorus {

// Returns for each side of a join the conditions which the query, when it runs, applies to the rows of that side before
// they are joined, over the columns of the side. Nothing is read.
std::vector<NodeList> conditionsOfSides(const SourceNode& join, const Query& query, Context& context);

}  // namespace pelorus
