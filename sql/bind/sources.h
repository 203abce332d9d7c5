// Resolution of the tables of a query.
#pragma once

#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// Resolves table and joins. Throws UserError when a name is no table.
RowSource resolveSource(const Query& query, Context& context);

// Returns the name by which a query calls what a part of its `from` denotes; empty when it has none.
std::string nameOfSource(const NodeRef& node, const std::string& alias);

// Whether a call is ej, lj, aj … of tables.
bool isJoinFunction(const Call& call);

// Returns the table that a part of `from` denotes: a variable, a query, a call that returns a table.
Value tableValue(const NodeRef& node, Context& context);

}  // namespace pelorus
