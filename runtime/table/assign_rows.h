// Assignment of values to some rows of a column, used by update and upsert!.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

// Stores value[i], or the scalar, at rows[i] of the column; a negative row is skipped. Converts as appending does. An
// array vector column takes a plain vector as the value of every row, unless it has one element per updated row.
// Throws UserError when the lengths differ or the types do not fit; then nothing has changed. REQUIRES: the column is
// not shared (makeUnique).
void assignRows(Value& column, const std::vector<int32_t>& rows, const Value& value, const std::string& name);

}  // namespace pelorus
