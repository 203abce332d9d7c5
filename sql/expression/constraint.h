// Constraints on the values of one column that a condition implies: partitions are chosen by them, and blocks by their
// bounds.
#pragma once

#include <optional>
#include <vector>

#include "runtime/append/column_constraint.h"
#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Returns false when the condition is no such comparison.
bool constraintOf(const Node& condition, const TableSchema& columns, Context& context, ColumnConstraint& constraint);

// Returns the constraint of `column op value` for a column of this type; nothing where it tells none. `op` is a
// comparison.
std::optional<ColumnConstraint> constraintOfValue(int column, Type type, Operator op, Value value);

// Returns the constraints that follow from the conditions, in their order: of those that are such comparisons, and of
// `or` over several columns one for each column that both sides compare. All hold where the conditions do.
std::vector<ColumnConstraint> constraintsOf(const NodeList& conditions, const TableSchema& columns, Context& context);

enum class Selects : uint8_t { None, Some, All };
// Decides which rows of a block with these bounds satisfy the constraint.
Selects decide(const ColumnConstraint& constraint, const BlockBounds& bounds);

}  // namespace pelorus
