// Entry point of queries.
#pragma once

#include <string>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {

// Runs a query in the scope of the context: returns a table for select, a vector or a single value where it can be for
// exec, VOID for update, delete and insert. Throws UserError for an invalid query.
Value executeQuery(const Query& query, Context& context);

// Runs a query and returns its plan with what the nodes took, as text. Of an update, delete or insert only what it
// reads is run: nothing is changed.
std::string analyzedQuery(const Query& query, Context& context);

}  // namespace pelorus
