// Checks the rules that @jit adds to those of the language (JIT-03).
#pragma once

#include "runtime/code/expression.h"

namespace pelorus {

// Throws SyntaxError for code without a single static type, judged by the source text alone: the results of the return
// statements, the target of a cast, the ends of a pair or sequence.
void checkJitRules(const FunctionBody& body);

}  // namespace pelorus
