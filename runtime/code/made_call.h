// Calls that a reader or a rewriter of code makes itself.
#pragma once

#include <string_view>

#include "runtime/code/expression.h"

namespace pelorus {

// Returns the call of a function by its name, in the form f(x, y).
NodeRef callOf(std::string_view function, NodeList arguments, SourcePosition position);

}  // namespace pelorus
