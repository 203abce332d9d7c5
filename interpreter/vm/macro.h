// Expands the macro variables of metacode: _$name and _$$names are replaced by the values of the variables.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/context.h"

namespace pelorus {

// Fills in the macro variables of metacode. Returns the same node when it has none.
NodeRef fillMacros(const NodeRef& node, const Scope& scope);

}  // namespace pelorus
