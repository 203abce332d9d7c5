// Column names and types of a plan's result, known before it runs.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/node.h"

namespace pelorus {

// Returns their names and types; VOID where only rows determine the type. Nothing where rows determine which columns
// there are.
TableSchema columnsOf(const PlanNode& plan, Context& context);

}  // namespace pelorus
