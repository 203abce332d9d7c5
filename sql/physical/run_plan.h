// Runs a plan.
#pragma once

#include "runtime/function/context.h"
#include "sql/operators/pivot/select_pivot.h"
#include "sql/plan/node.h"

namespace pelorus {

struct SelectedRows {
    Ref<MemoryTable> rows;
    bool oneCell = false;  // for a select that always returns one row: exec makes a scalar of it
    PivotedRows pivoted;   // of pivot by
};

SelectedRows runPlan(const PlanNode& plan, Context& context);

}  // namespace pelorus
