// Queries within the expressions of a query.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

// The query with the queries inside its conditions and items replaced by what they give: one cell is a scalar, one
// column a vector.
Ref<Query> withSubqueries(const Query& query, Context& context);

}  // namespace pelorus
