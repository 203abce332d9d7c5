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

// A query whose names are those of its source's columns, beside the query as it is written, which names the results.
struct NamedQuery {
    Ref<Query> written, resolved;
};
// Resolves t.x, t.* and the keys of joins. Throws UserError for clauses that do not go together.
NamedQuery resolveNames(const Query& query, const RowSource& source);
// Throws UserError for clauses that do not go together.
void requireClausesOfGroups(const Query& query);

// Makes the select over its source: result columns, keys, conditions. The parts of `query.resolved` that have to be
// computed first, as inner queries, are constants by now (physical/prepare_select.h): nothing runs here.
SelectPlan planSelect(NamedQuery query, RowSource source, Context& context);

// Splits a condition into the operands of `and`.
void splitAnd(const NodeRef& node, NodeList& parts);
// Whether the value for a row depends on that row only, and on constants, however it is written.
bool isRowwise(const NodeRef& node, Context& context);

}  // namespace pelorus
