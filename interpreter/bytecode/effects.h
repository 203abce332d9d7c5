// What running code does beside giving a value: found in the declarations of the built-ins that it calls.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "runtime/registry/declaration.h"

namespace pelorus {

// The strongest effect of a call. A script's function has that of what it calls; Writes where that cannot be told, as
// of a function that it is given.
Effect effectOf(const Function& function);

// Of an expression whose names are variables, or functions that `context` knows.
Effect effectOf(const NodeRef& expression, const Context& context);

// Of the expressions of a query, whose names stand for columns, or for functions that `context` knows.
Effect effectOf(const Query& query, const Context& context);

}  // namespace pelorus
