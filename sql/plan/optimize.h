// Rules that make a plan cheaper without changing its result: neither rows, their order, nor the columns.
#pragma once

#include <span>
#include <string_view>

#include "runtime/function/context.h"
#include "sql/plan/node.h"

namespace pelorus {

// A rule takes a plan and returns one with the same rows and columns. It reads nothing.
struct PlanRule {
    std::string_view name;
    PlanRef (*apply)(PlanRef plan);
};

// Returns the rules in the order in which they are applied:
//   limits are pushed down through operators that keep rows, to the sort or the scan that may end early;
//   a sort whose first few rows are wanted becomes TopRows, which reads the other columns of those alone.
std::span<const PlanRule> planRules();

// Applies the rules, each once. The columns are checked after each, in debug and sanitizer builds.
PlanRef optimized(PlanRef plan, Context& context);

}  // namespace pelorus
