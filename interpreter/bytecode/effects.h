// Derives the side effects of running code from the declarations of the built-ins that it calls.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "runtime/registry/declaration.h"

namespace pelorus {

// Returns the strongest effect of a call. A script's function has that of its callees; it is Writes when they cannot be
// known, as for a function that is passed to it.
Effect effectOf(const Function& function);

// Returns the effect of an expression whose names are variables, or functions that `context` knows.
Effect effectOf(const NodeRef& expression, const Context& context);

// Returns the effect of the expressions of a query, whose names denote columns, or functions that `context` knows.
Effect effectOf(const Query& query, const Context& context);

}  // namespace pelorus
