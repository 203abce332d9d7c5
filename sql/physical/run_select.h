// Binds selects and runs their plans.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/physical/pipelines.h"

namespace pelorus {

// Computes what a query reads before its own rows, and binds it over that.
PlanRef boundSelect(const Query& query, Context& context);

// Binds a query, optimizes its plan and runs it.
SelectedRows selectRows(const Query& query, Context& context);
// Does the same over this source, instead of what `from` says.
SelectedRows selectRows(const Query& query, RowSource source, Context& context);

// Returns the expression count(*).
SelectItem countOfRows(SourcePosition here);

}  // namespace pelorus
