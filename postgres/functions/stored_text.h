// What columns take of the values that are assigned to them.
#pragma once

#include <string_view>

#include "postgres/types/oids.h"

namespace pelorus::postgres {

// Returns the string that a column of texts keeps: without the blanks that its type drops; empty for ''. Throws
// SqlError 22001 when it is too long.
std::string_view storedText(std::string_view text, const ShownType& type);

// Throws SqlError 23502.
[[noreturn]] void refuseNull(std::string_view column, std::string_view table);

}  // namespace pelorus::postgres
