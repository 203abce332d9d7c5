// Conversion of results to the forms that clients ask for.
#pragma once

#include "runtime/value/value.h"

namespace pelorus {

// Converts decimals to DOUBLE, in columns, elements and keys alike; a value without decimals is returned unchanged.
Value withoutDecimals(const Value& value);

// For a console: a table on disk is replaced by an empty one, under its whole name ("dfs://db/t"). Other values are
// unchanged.
Value namedForConsole(const Value& value);

}  // namespace pelorus
