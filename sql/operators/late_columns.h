// Late columns: what a result needs of rows that were found by their keys alone.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "runtime/function/context.h"
#include "sql/operators/scan/table_scan.h"
#include "sql/plan/row_item.h"

namespace pelorus {

// Reference to a row of a scan.
struct RowPlace {
    size_t morsel;
    int32_t block;
    int32_t row;  // of the block

    auto operator<=>(const RowPlace&) const = default;
};

// Computes columns for the rows at these places, which are scattered over the blocks of a scan, in their order. Blocks
// are read concurrently, each once.
Ref<MemoryTable> fetchRows(const TableScan& scan, const std::vector<RowPlace>& places,
                           const std::vector<RowItem>& items, Context& context);

}  // namespace pelorus
