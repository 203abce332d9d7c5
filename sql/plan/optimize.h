// Rewrites that make a plan cheaper without changing its result: neither rows, their order, nor the types of columns.
#pragma once

#include "sql/plan/node.h"

namespace pelorus {

// Applies the rules, each once, in this order:
//   limits are pushed down through operators that keep rows, to the sort or the scan that may end early;
//   a sort whose first few rows are wanted becomes TopRows, which reads the other columns of those alone.
PlanRef optimized(PlanRef plan);

}  // namespace pelorus
