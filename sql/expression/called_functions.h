// The functions that an expression of a query calls.
#pragma once

#include <functional>

#include <string_view>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/function/function.h"

namespace pelorus {

class BuiltinFunction;

// Whether the expression contains a call of an aggregate that is not inside another function of whole vectors.
bool holdsAggregate(const Node& node, Context& context);
// Whether it calls aggregates or functions that depend on the order of rows.
bool readsOtherRows(const Node& node, Context& context);
// Whether the expression is made of columns, constants, operators and calls of built-in functions alone, which all
// satisfy `isAllowed`.
bool callsOnly(const NodeRef& code, Context& context,
               const std::function<bool(const BuiltinFunction& function, const Call& call)>& isAllowed);
// Returns the sub-query that is the only argument of a call of the word, as of exists, any or all; null for other
// nodes.
const Query* quantifiedQuery(const Node& node, std::string_view word);
// Returns the function that a call names, as variable or built-in; null when it is none.
Ref<Function> calledFunction(const Call& call, Context& context);

}  // namespace pelorus
