// Changes of a table in memory beyond adding rows.
#pragma once

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/table/table.h"

namespace pelorus {

// Throws UserError for a stream table, whose rows never change.
inline void requireChangeable(const MemoryTable& table) {
    if (!table.stream) return;
    throw UserError("What a stream table holds is added to and never changed.",
                    "Select it into a table and change that.");
}

// Throws UserError for a multi-version table: its columns are fixed, and it has no key.
inline void requireOwnColumns(const MemoryTable& table, const char* function) {
    if (!table.isMultiVersion) return;
    throw UserError(fmt::format("{} doesn't work on a multi-version table.", function),
                    "update, delete, insert, update!, replaceColumn! and t[`c] = v change one.");
}

}  // namespace pelorus
