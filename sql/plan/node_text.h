// Nodes of plans in words, as explain prints them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sql/plan/node.h"

namespace pelorus {

// Returns what a node does, without its input: "sort by price descending". Conditions of groups are in a second,
// indented line.
std::string nodeText(const PlanNode& plan);
// Whether explain shows a node: not a limit of all rows.
bool isShown(const PlanNode& plan);

// "1,234,567"
std::string withCommas(int64_t number);
// "a, b, c"
std::string listed(const std::vector<std::string>& parts);

}  // namespace pelorus
