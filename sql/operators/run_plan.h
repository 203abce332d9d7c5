// Runs a plan.
#pragma once

#include "sql/plan/node.h"

namespace pelorus {

struct SelectedRows {
    Ref<MemoryTable> rows;
    bool oneCell = false;  // of a select that gives one row whatever it reads: exec makes a scalar of it
    PivotedRows pivoted;   // of pivot by
};

SelectedRows runPlan(const PlanNode& plan, Context& context);

}  // namespace pelorus
