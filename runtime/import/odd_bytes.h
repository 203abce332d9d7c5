// Bytes that a text should not hold: those that are no UTF-8, as of files in GBK or Latin-1, and zeros.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/text/delimited_text.h"

namespace pelorus::text {

// Returns the position of the first byte that is no UTF-8; npos when all are.
size_t findNotUtf8(std::string_view string);

// Records the first field of whole lines that holds bytes of either kind, as far as a column of the schema takes it.
// `firstLine` is the number of the first line. Text of ASCII alone costs one pass at the speed of memory.
void findOddBytes(std::string_view lines, const TextSchema& schema, char delimiter, int64_t firstLine,
                  TextReport& report);

}  // namespace pelorus::text
