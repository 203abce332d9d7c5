// The columns that a plan gives, told before it runs.
#pragma once

#include "sql/plan/node.h"

namespace pelorus {

// Their names and types; VOID where only rows tell the type. Nothing where rows decide which columns there are.
TableSchema columnsOf(const PlanNode& plan, Context& context);

// The columns that a query gives, as a table without rows; ANY where only rows tell the type.
Ref<MemoryTable> boundTable(const Query& query, Context& context);

}  // namespace pelorus
