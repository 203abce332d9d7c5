// A plan as people read it: what is done last stands first, what it reads stands below it.
#pragma once

#include <string>

#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

// The plan of a select or exec, which is bound and not run: no block of a table is read, and neither inner queries nor
// functions of scripts are computed, but for what stands after `from` and is neither a table, a join nor a query.
// Throws UserError where the query itself would before it reads a row.
std::string planText(const Query& query, Context& context);

}  // namespace pelorus
