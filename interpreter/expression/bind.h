// From code to bound expressions, for queries and for the regions of scripts.
#pragma once

#include <optional>
#include <span>

#include "interpreter/expression/bound.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Names are columns first, then variables and functions that `context` knows, then built-ins. Straight-line functions
// of scripts are taken apart. Null where the type can be told by a run only, where the types have no such operation,
// and for all that is no tree of operators and calls; what there is to say against it, a run says.
//
// The type is that of what the expression gives for a row, or, where it holds aggregates, for a group of rows.
BoundRef bindExpression(const Node& node, const TableSchema& columns, Context& context);

// The same of an expression whose names "0", "1" … are these parts.
BoundRef bindRegion(const Node& node, std::span<const BoundRef> parts, Context& context);
BoundRef boundColumn(int column, Type type);
// Null for a scalar that is no item of a column, as the untyped NULL.
BoundRef boundParameter(int number, const Value& scalar);

// The type of a bound expression; nothing for none.
std::optional<ResultType> typeOf(const BoundRef& bound);

}  // namespace pelorus
