// Binder: makes a plan from a select whose source and inner queries are known. Types are known where functions declare
// them, and nothing of the tables is read but their columns.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/node.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Makes the plan of `query`, of which `plan` is the part below distinct, order and limit (bind/plan_select.h). Throws
// UserError, with its position, for invalid queries.
PlanRef bindSelect(const Query& query, SelectPlan plan, Context& context);
// Makes the plan of a query without a table: select 1 + 1.
PlanRef bindConstants(const Query& query, Context& context);

// Refuses having and csort in queries without a clause that makes groups. `isOneGroup`: aggregates over all rows, which
// having keeps or drops.
void requireGroupsOfClauses(const Query& query, bool isOneGroup);

// Binds the part below distinct, order and limit. REQUIRES: the select list is no list of aggregates over all rows that
// have states.
PlanRef bindRows(SelectPlan plan, Context& context);

}  // namespace pelorus
