// A plan in readable form: the last operator comes first, its input below it.
#pragma once

#include <string>

#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

// Returns the plan of a statement, which is bound and not run: no block of a table is read, neither inner queries nor
// functions of scripts are computed, and nothing changes. An expression after `from` that is neither a table, a join
// nor a query is computed unless it may change something. Throws UserError where the statement itself would before it
// reads a row.
std::string planText(const Query& query, Context& context);

}  // namespace pelorus
