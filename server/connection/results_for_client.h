// A result as the client that asked for it wants it.
#pragma once

#include "runtime/value/value.h"

namespace pelorus {

// Converts decimals to DOUBLE, in columns, elements and keys alike; a value without decimals is returned unchanged.
Value withoutDecimals(const Value& value);

// For a console: a table on disk travels as an empty one, under its whole name ("dfs://db/t"). Other values as they
// are.
Value namedForConsole(const Value& value);

}  // namespace pelorus
