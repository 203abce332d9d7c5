// Forms of a query that calls in its clauses decide: windows, intervals, windows that step.
#pragma once

#include <cstddef>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Returns the index of the key that is an interval; the number of keys where there is none.
size_t intervalKey(const SelectPlan& plan, Context& context);
bool groupsByInterval(const SelectPlan& plan, Context& context);
// Whether the select list begins with roll.
bool rollsWindows(const SelectPlan& plan, Context& context);

// Whether an expression contains a window function.
bool holdsWindow(const Node& node);
// Names an output column that is a call of a window function only after that function.
void nameWindow(SelectItem& item);

}  // namespace pelorus
