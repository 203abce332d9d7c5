// Rows of a result as JSON, as clients of /exec read them: times are "2026-01-02T03:04:05.000000006Z", NULL, NaN and
// infinity null.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/table/table.h"

namespace pelorus {

// Returns "[[…],[…]]", one list for each row from `begin` to before `end`, which are rows of the table.
std::string jsonRows(const MemoryTable& table, int64_t begin, int64_t end);
// Returns a scalar or vector.
std::string jsonValue(const Value& value);
// Returns the name of a column's type that clients know.
std::string_view jsonTypeName(Type type);

}  // namespace pelorus
