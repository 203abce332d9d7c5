// The functions that an expression of a query calls.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/function/function.h"

namespace pelorus {

// Whether the expression contains a call of an aggregate that is not inside another function of whole vectors.
bool holdsAggregate(const Node& node, Context& context);
// Whether it calls aggregates or functions that depend on the order of rows.
bool readsOtherRows(const Node& node, Context& context);
// Returns the function that a call names, as variable or built-in; null when it is none.
Ref<Function> calledFunction(const Call& call, Context& context);

}  // namespace pelorus
