// Formats the rows of a result as JSON for clients of /exec: times as "2026-01-02T03:04:05.000000006Z"; NULL, NaN and
// infinity as null.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/table/table.h"

namespace pelorus {

// Returns "[[…],[…]]" with one list for each of the rows [begin, end). REQUIRES: the table has these rows.
std::string jsonRows(const MemoryTable& table, int64_t begin, int64_t end);
// Returns the JSON of a scalar or vector.
std::string jsonValue(const Value& value);
// Returns the name by which clients know the type of a column.
std::string_view jsonTypeName(Type type);

}  // namespace pelorus
