// The rows that a stream table takes which keeps the newest of each key: those whose time is greater than that of the
// key's newest row.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/table/table.h"
#include "runtime/table/table_keys.h"

namespace pelorus {

// Returns the numbers of the rows of an append that are kept, ascending. Of a key that the table lacks only the first
// row with the greatest time is. `columns` are those of the table, by position; NULL is the smallest time. REQUIRES:
// keys.latestBy() is not empty.
std::vector<int32_t> latestRows(const MemoryTable& table, const TableKeys& keys, const std::vector<Value>& columns);

}  // namespace pelorus
