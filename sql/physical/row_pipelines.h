// The pipelines of nodes that read the rows of a scan block by block: a select of columns, its distinct rows, the first
// in an order.
#pragma once

#include "runtime/function/context.h"
#include "sql/plan/node.h"

namespace pelorus {

// What the scan of a node reads: its source, or partitions of it, and the conditions of its rows.
struct ScannedSource {
    const RowSource& source;
    const NodeList& conditions;
};

// Runs scan, conditions, limit and projection into a result. If other nodes keep partitions, each computes its results,
// which are concatenated here.
Ref<MemoryTable> projectedRows(const ProjectNode& node, const ScannedSource& scan, Context& context);

// Runs scan and conditions into the first rows in an order, then computes the columns of those.
Ref<MemoryTable> firstRows(const TopRowsNode& node, const ScannedSource& scan, Context& context);

// Runs scan, conditions and projection into the distinct rows. REQUIRES: no other node keeps partitions.
Ref<MemoryTable> distinctRows(const DistinctNode& node, const ProjectNode& projected, const ScannedSource& scan,
                              Context& context);

}  // namespace pelorus
