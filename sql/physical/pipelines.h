// From plans to pipelines: a node that needs all rows of its input ends a pipeline; the nodes above take those rows.
#pragma once

#include <optional>
#include <vector>

#include "runtime/function/context.h"
#include "sql/execution/plan_profile.h"
#include "sql/operators/pivot/pivoted_rows.h"
#include "sql/plan/node.h"

namespace pelorus {

struct SelectedRows {
    Ref<MemoryTable> rows;
    bool oneCell = false;  // for a select that always returns one row: exec makes a scalar of it
    PivotedRows pivoted;   // of pivot by
};

// What the operator that runs a plan gives to its scan.
struct PlanInput {
    Ref<MemoryTable> rows;                          // those of a scan of given rows
    std::optional<std::vector<size_t>> partitions;  // only these are read
    PlanProfile* profile = nullptr;                 // where the nodes are measured; null where nobody asked
};

// Runs a plan.
SelectedRows runPipelines(const PlanNode& plan, Context& context, const PlanInput& input = {});

}  // namespace pelorus
