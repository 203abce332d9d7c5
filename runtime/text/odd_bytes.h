// Bytes that a text should not hold: those that are no UTF-8, as of files in GBK or Latin-1, and zeros.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/text/text_report.h"

namespace pelorus::text {

// Returns the position of the first byte that is no UTF-8; npos when all are.
size_t findNotUtf8(std::string_view text);

// Records the first field of the lines that holds bytes of either kind. `columnOf` gives the column of the schema that
// takes a field, -1 for none; others are not looked at. Text of ASCII alone costs one pass at the speed of memory.
void findOddBytes(std::string_view lines, char delimiter, int64_t firstLine, const std::vector<int>& columnOf,
                  TextReport& report);

}  // namespace pelorus::text
