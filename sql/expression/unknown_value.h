// Placeholders for values that a query would compute before it is bound, in a query that is only explained.
#pragma once

#include "runtime/code/expression.h"

namespace pelorus {

// Makes a placeholder for the value of a part that is not computed; it prints as that part.
NodeRef unknownValue(const Node& part, Type type);
// Whether an expression contains such a placeholder.
bool holdsUnknown(const Node& node);

}  // namespace pelorus
