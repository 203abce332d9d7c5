// What may be done to a table in memory beyond adding rows. MEM-07.
#pragma once

#include "common/error.h"
#include "runtime/table.h"

namespace pelorus {

// Throws UserError for a stream table: what was written to it stays.
inline void requireChangeable(const MemoryTable& table) {
    if (!table.isStream) return;
    throw UserError("What a stream table holds is added to and never changed.",
                    "Select it into a table and change that.");
}

}  // namespace pelorus
