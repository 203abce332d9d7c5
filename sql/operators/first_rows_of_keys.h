// The first row of each key among many rows.
#pragma once

#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

// Returns the columns of the rows whose values did not occur in a row before, in their order. A piece holds the columns
// of consecutive rows: typed vectors of these types. Rows are cut by the hash of their values, so that equal ones meet
// in one part, and the parts are looked through on all threads, each within a core's cache; which row is the first is a
// matter of its place alone. O(n).
std::vector<Value> firstRowsOfKeys(const std::vector<Type>& types, std::vector<std::vector<Value>> pieces);

}  // namespace pelorus
