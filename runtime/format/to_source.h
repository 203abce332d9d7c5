// Printer from code to a source string that parses to the same code.
#pragma once

#include <string>

#include "runtime/code/expression.h"

namespace pelorus {

// Returns the normalised source of an expression, statement or query: one blank around infix operators, calls in the
// form f(x, y).
std::string toSource(const Node& node);

// Returns a constant as a script would write it: `"a\"b"`, `00i`, `2024.03.15`, `[1,2,3]`.
std::string toLiteral(const Value& value);

}  // namespace pelorus
