// Computation of all that a select needs before it can be bound: its source, its inner queries, its constant calls.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Computes the source of a select, then its inner queries and calls that read no column, and binds its parts over them.
SelectPlan prepareSelect(const Query& query, Context& context);
// Does the same over this source, instead of what `from` says.
SelectPlan prepareSelect(const Query& query, RowSource source, Context& context);

}  // namespace pelorus
