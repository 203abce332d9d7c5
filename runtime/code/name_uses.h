// The names in an expression.
#pragma once

#include <functional>

#include "runtime/code/expression.h"

namespace pelorus {

// Calls f for every Name node of an expression, except in inner queries and lambdas.
void forEachName(const Node& node, const std::function<void(const Name&)>& f);
// Also says whether the name is that of a function which is called.
void forEachUse(const Node& node, const std::function<void(const Name&, bool called)>& f);

}  // namespace pelorus
