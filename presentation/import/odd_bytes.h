// Finds bytes that text files should not contain: bytes that are not UTF-8, as in files in GBK or Latin-1, and zeros.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/text/delimited_text.h"

namespace pelorus::text {

// Returns the position of the first byte that is no UTF-8; npos when all are.
size_t findNotUtf8(std::string_view string);

// Records the first field that contains bytes of either kind, if a column of the schema takes it. `lines` are complete
// lines; `firstLine` is the number of the first one. Pure ASCII costs one pass at the speed of memory.
void findOddBytes(std::string_view lines, const TextSchema& schema, char delimiter, int64_t firstLine,
                  TextReport& report);

}  // namespace pelorus::text
