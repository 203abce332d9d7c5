// What is known of an expression over columns before any row is read, from what functions declare.
#pragma once

#include <optional>

#include "runtime/context.h"
#include "runtime/function/type_rules.h"
#include "runtime/table.h"

namespace pelorus {

// The type of an expression whose item i depends on row i only, without any effect. Nothing where some part is not so,
// or its type cannot be told. Names are columns, then variables, then built-ins.
std::optional<ResultType> elementwiseType(const Node& node, const TableSchema& columns, const Scope* scope);

// The same of any expression: aggregates, windows and functions of rows, with or without effects. The type of what it
// gives for a row, or for a group of rows.
std::optional<ResultType> expressionType(const Node& node, const TableSchema& columns, const Scope* scope);

}  // namespace pelorus
