// Visits the parts of a node, for passes over a whole tree.
#pragma once

#include <functional>

#include "runtime/code/expression.h"

namespace pelorus {

// Calls `visit` for every existing part of a node, in the order of the source text where the tree keeps it; the tables
// of a query come first, since they determine the columns. Bodies of functions and lambdas are parts, too.
void forEachChild(const Node& node, const std::function<void(const NodeRef&)>& visit);

}  // namespace pelorus
