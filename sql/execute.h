// Entry point of queries.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {

// Runs a query in the scope of the context: returns a table for select, a vector or a single value where it can be for
// exec, VOID for update, delete and insert. Throws UserError for an invalid query.
Value executeQuery(const Query& query, Context& context);

}  // namespace pelorus
