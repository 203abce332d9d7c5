// From a query to its plan: names are resolved, types are told where functions declare them, and nothing of the tables
// is read but what says which columns they have.
#pragma once

#include "sql/plan/node.h"

namespace pelorus {

// Throws UserError, with its place, for what a query may not say. Tables that are joined, and queries within the query,
// are computed here, since what reads them needs their columns; while a BindOnly (bind/bind_only.h) lives, without
// their rows.
PlanRef bindSelect(const Query& query, Context& context);

// Refuses having and csort where no clause makes the groups that they are for. `isOneGroup`: aggregates of everything,
// which having keeps or drops.
void requireGroupsOfClauses(const Query& query, bool isOneGroup);

// Binds the part below distinct, order and limit. REQUIRES: the select list is not made of aggregates over all rows
// only.
PlanRef bindRows(SelectPlan plan, Context& context);

}  // namespace pelorus
