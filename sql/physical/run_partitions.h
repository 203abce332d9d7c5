// Plans that run partition by partition.
#pragma once

#include "runtime/function/context.h"
#include "sql/physical/pipelines.h"
#include "sql/plan/partition_nodes.h"

namespace pelorus {

// Runs the input of a PerPartition in every partition by itself, one result after the other. Its nodes are measured in
// `profile`, all partitions together; null where nobody asked.
SelectedRows runPerPartition(const PerPartitionNode& node, PlanProfile* profile, Context& context);
// Runs the input of Phases in the partitions concurrently, and what reduces their results.
SelectedRows runPhases(const PhasesNode& node, const PlanInput& input, Context& context);

}  // namespace pelorus
