// Merge of sorted runs on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/kernel/sort/row_order.h"
#include "runtime/table/spill_file.h"
#include "runtime/table/table.h"

namespace pelorus {

// Blocks of a spill file, [firstBlock, endBlock), whose rows are in order.
struct RunBlocks {
    int firstBlock = 0, endBlock = 0;
};

// Passes the rows of all runs in order, without the keys, which are their last columns; equal rows in the order of the
// runs. A block of each run is in memory. Each row is sorted once: in a round, only those rows of the runs' heads that
// no row still on disk precedes. Columns of `keys` are ignored.
void mergeRuns(const SpillFile& file, const std::vector<RunBlocks>& runs, const std::vector<OrderKey>& keys,
               const std::function<void(const MemoryTable& rows)>& take);

}  // namespace pelorus
