// The front door of queries: SQL-01 … SQL-55.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {

// Runs a query in the scope of the context: a table for select, the form of SQL-03 for exec, VOID for update, delete
// and insert. Throws UserError with what is wrong in the query.
Value executeQuery(const Query& query, Context& context);

}  // namespace pelorus
