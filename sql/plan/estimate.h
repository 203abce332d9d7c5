// Estimates of how many rows the nodes of a plan give, before it runs.
#pragma once

#include <vector>

#include "sql/plan/node.h"

namespace pelorus {

// Returns an estimate for each node by its number, of a plan whose scan reads so many rows. Conditions keep fixed
// shares, by their operators, those that chose the partitions all; a tenth of the rows begin a group. REQUIRES:
// numberNodes.
std::vector<double> estimatedRows(const PlanNode& plan, double scannedRows);

// Returns the share of rows that a condition keeps, from 0 to 1.
double estimatedShare(const Node& condition);

}  // namespace pelorus
