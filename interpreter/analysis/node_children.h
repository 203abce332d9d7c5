// The parts of a node, for passes that visit a whole tree.
#pragma once

#include <functional>

#include "runtime/code/expression.h"

namespace pelorus {

// Calls `visit` for every part of a node that is there, in the order of the source where the tree keeps it: of a query
// the tables come first, as they say what the columns are. Bodies of functions and lambdas are parts, too.
void forEachChild(const Node& node, const std::function<void(const NodeRef&)>& visit);

}  // namespace pelorus
