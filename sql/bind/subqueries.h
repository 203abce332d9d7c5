// Queries within the expressions of a query.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

// Replaces the subqueries in the conditions and select list of a query by their results: one cell is a scalar, one
// column a vector.
Ref<Query> withSubqueries(const Query& query, Context& context);

}  // namespace pelorus
