// Binder: makes a plan from a query. Names are resolved, types are known where functions declare them, and nothing of
// the tables is read but their columns.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/node.h"

namespace pelorus {

// Throws UserError, with its position, for invalid queries. Joins and inner queries are computed here, since the
// columns of their results are needed; while a BindOnly (bind/bind_only.h) lives, without their rows.
PlanRef bindSelect(const Query& query, Context& context);
// Does the same over this source, instead of what `from` says.
PlanRef bindSelect(const Query& query, RowSource source, Context& context);

// Refuses having and csort in queries without a clause that makes groups. `isOneGroup`: aggregates over all rows, which
// having keeps or drops.
void requireGroupsOfClauses(const Query& query, bool isOneGroup);

// Binds the part below distinct, order and limit. REQUIRES: the select list is not made of aggregates over all rows
// only.
PlanRef bindRows(SelectPlan plan, Context& context);

}  // namespace pelorus
