// Nodes of statements that run partition by partition.
#pragma once

#include <utility>

#include "sql/plan/node.h"

namespace pelorus {

// select … map: its input, a whole statement, in every partition by itself, one result after the other.
struct PerPartitionNode final : PlanNode {
    explicit PerPartitionNode(PlanRef statement) : PlanNode(Kind::PerPartition, std::move(statement)) {}
    TableSchema schema(Context& context) const override;
};

// Aggregates of scripts that declare by mapr how they are computed in parts: the input runs in every partition, and
// `reduce`, over given rows, of all its results; `whole` over all rows where no partition has a result.
struct PhasesNode final : PlanNode {
    PhasesNode(PlanRef map, PlanRef reduce, PlanRef whole)
        : PlanNode(Kind::Phases, std::move(map)), reduce(std::move(reduce)), whole(std::move(whole)) {}
    TableSchema schema(Context& context) const override;
    PlanRef reduce, whole;
};

}  // namespace pelorus
