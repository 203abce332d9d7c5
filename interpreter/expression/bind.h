// Binds expressions, for queries and for the regions of scripts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "interpreter/expression/bound.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Binds an expression. A name denotes a column, or else a variable or function that `context` knows, or else a
// built-in. Straight-line functions of scripts are inlined. The result is Opaque when only a run can determine the
// type, when the types have no such operation, and for anything but a tree of operators and calls; errors are left to
// the run.
//
// The type is that of the expression's value for a row or, if it contains aggregates, for a group of rows.
BoundRef bindExpression(const NodeRef& code, const TableSchema& columns, Context& context);
// The same in steps: finds the columns that code reads (a plain column, which is not called, needs no name), binds it,
// or makes an Opaque expression of it.
std::shared_ptr<const ExpressionCode> codeOver(const NodeRef& code, const TableSchema& columns);
BoundRef bindCode(const std::shared_ptr<const ExpressionCode>& code, const TableSchema& columns, Context& context);
BoundRef opaqueCode(std::shared_ptr<const ExpressionCode> code);

// Binds an expression whose names "0", "1" … are these parts. The result is Opaque, and has no code, where
// bindExpression leaves the type to a run.
BoundRef bindRegion(const Node& node, std::span<const BoundRef> parts, Context& context);
BoundRef boundColumn(int column, Type type);
// Returns null for a scalar that no column can hold, such as the untyped NULL.
BoundRef boundParameter(int number, const Value& scalar);

// What names of an expression are parameters, which each run gives.
using NamedParameters = std::unordered_map<std::string, BoundRef>;
// Binds an expression that is kept for runs with other parameters: a name denotes a column, a parameter, or a function.
// Nothing of it is evaluated but parts that are constant wherever it runs. The result is Opaque, and has no code, where
// bindExpression leaves the type to a run.
BoundRef bindForRuns(const Node& node, const TableSchema& columns, const NamedParameters& parameters, Context& context);

// Returns the type of a bound expression whose values a column can store one by one; nullopt for others.
std::optional<ResultType> typeOf(const BoundRef& bound);

}  // namespace pelorus
