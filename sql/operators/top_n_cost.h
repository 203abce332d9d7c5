// The choice between the first rows by their keys alone, and a sort.
#pragma once

#include <vector>

#include "sql/operators/scan/table_scan.h"
#include "sql/plan/node.h"

namespace pelorus {

// Returns whether the first rows cost less by their keys alone than by a sort of all: count times key bytes against the
// bytes that a sort moves. `isDecoded`: blocks are not in memory as they are read; `allPass`: there are no conditions.
bool prefersTopN(const TopRowsNode& node, const std::vector<Morsel>& morsels, bool isDecoded, bool allPass);

}  // namespace pelorus
