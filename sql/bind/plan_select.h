// Binder of a select: tables, names and conditions of a query.
#pragma once

#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Returns the select list as columns with distinct names. Default names are numbered; a duplicate explicit name
// is an error.
std::vector<OutputItem> outputItems(const std::vector<SelectItem>& items, const TableSchema& columns, Context& context);

// Resolves the tables, conditions and names of a select.
SelectPlan planSelect(const Query& query, Context& context);
// Does the same over this source, instead of what `from` says.
SelectPlan planSelect(const Query& query, RowSource source, Context& context);

// Splits a condition into the operands of `and`.
void splitAnd(const NodeRef& node, NodeList& parts);
// Whether the value for a row depends on that row only, and on constants, however it is written.
bool isRowwise(const NodeRef& node, Context& context);

}  // namespace pelorus
