// Arrays in expressions, which are kept as their strings.
#pragma once

#include <string>
#include <vector>

#include "postgres/typing/convert.h"
#include "postgres/typing/typed.h"

namespace pelorus::postgres {

// Returns array[elements].
Typed arrayOf(std::vector<Typed> items, int place, const ConversionHost& host);
// Returns array[index]; NULL outside.
Typed elementOf(Typed array, Typed index, int place, const ConversionHost& host);
// Returns x op any(array), or all.
Typed comparedWithArray(const std::string& op, Typed x, Typed array, bool isAll, int place, const ConversionHost& host);
// Returns constants of one kept type as a vector; VOID where they are of several.
Value vectorOfConstants(const std::vector<Typed>& constants);

}  // namespace pelorus::postgres
