// What a plan does in one piece, from the source to rows.
#pragma once

#include "sql/operators/run_plan.h"

namespace pelorus {

SelectedRows runAggregate(const AggregateNode& node, Context& context);
SelectedRows runStage(const StageNode& node, Context& context);

// Binds a query, makes its plan better and runs it.
SelectedRows selectRows(const Query& query, Context& context);

// The item count(*).
SelectItem countOfRows(SourcePosition here);

}  // namespace pelorus
