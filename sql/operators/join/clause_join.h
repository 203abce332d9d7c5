// Join by a clause of a query: a join b on …, and those without a condition.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/bind/join_condition.h"
#include "sql/operators/join/joins.h"

namespace pelorus {

// Joins the rows of two tables. Without a condition all pairs of rows are joined. The rows are materialized when they
// are read, except for those of a join on disk.
Ref<Table> joinByClause(const Value& left, const Value& right, JoinKind kind, const JoinCondition* condition,
                        const JoinedColumns& shown, Context& context);

}  // namespace pelorus
