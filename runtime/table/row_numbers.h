// Rows are numbered in 32 bits where they are put in order, grouped by window or changed in place.
#pragma once

#include <fmt/format.h>

#include "common/error.h"

namespace pelorus {

inline void requireRowNumbers(int64_t rows) {
    if (rows <= INT32_MAX) return;
    throw UserError(
        fmt::format("{} rows are too many to be put in order or changed at once; the most is 2147483647.", rows),
        "Work on parts of them, or keep them in a partitioned table.");
}

}  // namespace pelorus
