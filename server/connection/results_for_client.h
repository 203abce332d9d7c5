// A result as the client that asked for it wants it.
#pragma once

#include "runtime/value/value.h"

namespace pelorus {

// Decimals as DOUBLE, in columns, items and keys alike; what holds none is the value itself.
Value withoutDecimals(const Value& value);

}  // namespace pelorus
