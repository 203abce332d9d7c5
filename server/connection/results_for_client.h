// Converts results to the forms that clients ask for. The functions are pure.
#pragma once

#include "runtime/value/value.h"

namespace pelorus {

// Converts decimals to DOUBLE in scalars, vectors, columns, tuples, and keys and values of dictionaries; sets and
// values without decimals are returned unchanged.
Value withoutDecimals(const Value& value);

// Replaces a partitioned table by an empty one with its full name ("dfs://db/t"), which a console prints instead of the
// rows. Other values are returned unchanged.
Value namedForConsole(const Value& value);

}  // namespace pelorus
