// Rules that @jit adds to those of the language: JIT-03.
#pragma once

#include "runtime/code/expression.h"

namespace pelorus {

// Refuses code that has no one type, as the text alone shows it: the results of the return statements, the target of a
// cast, the ends of a pair or sequence. Throws SyntaxError.
void checkJitRules(const FunctionBody& body);

}  // namespace pelorus
