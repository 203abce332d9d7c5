// Recognizes queries that only read, for clients that must not change anything.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/context.h"

namespace pelorus {

// Throws UserError unless a script is one select or exec, with or without `with`, that calls only functions which
// change nothing. What the functions do is taken from their declarations; functions of scripts and views are followed,
// and refused where they cannot be proven to read only. `scope` knows the functions of the session. Nothing is run.
// Linear in the size of the script.
void requireReadingQuery(const NodeList& statements, const Scope& scope);

}  // namespace pelorus
