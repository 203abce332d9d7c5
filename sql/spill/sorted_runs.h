// External merge sort: order by of more rows than memory holds twice.
#pragma once

#include <functional>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/table/spill_file.h"
#include "runtime/table/table.h"

namespace pelorus {

// Sorts the rows, stable. The caller's reference to them is given up, so that they are not held in addition to the
// result. Spills only when memory is too short for the sort. The caller reads only the first `needed` rows, which may
// be all that are returned. Adds the bytes that it spills to `spilledBytes`, where that is given.
Ref<MemoryTable> sortedRows(Ref<MemoryTable> rows, std::vector<OrderKey> keys, Context& context,
                            int64_t needed = INT64_MAX, int64_t* spilledBytes = nullptr);

// Sorted tables of the same columns that are spilled one after the other and merged into one sorted table.
class SortedRuns {
public:
    // The last columns of the tables are the keys; key columns inside `keys` are ignored.
    SortedRuns(const SpillFolder& folder, std::vector<OrderKey> keys);

    // Writes blocks of so many rows, of which one per run is in memory while they are merged. 0 chooses for many runs.
    // Rows that are not before those added last continue their run.
    // REQUIRES: canHold(rows), and they are in order.
    void add(const MemoryTable& rows, int64_t blockRows = 0);
    // Whether the rows can be spilled, and have columns of the same types as those before.
    bool canHold(const MemoryTable& rows) const;
    bool isEmpty() const { return firstBlocks_.empty(); }
    int64_t rowCount() const { return rowCount_; }
    int64_t sizeBytes() const { return file_.sizeBytes(); }
    // Returns all rows in order, without the keys; equal ones in that of the runs.
    Ref<MemoryTable> merged() const;
    // Passes the merged rows in pieces, of which one at a time is in memory.
    void merge(const std::function<void(const MemoryTable& rows)>& take) const;

private:
    bool continueLastRun(const MemoryTable& rows) const;

    std::vector<OrderKey> keys_;
    SpillFile file_;
    Ref<MemoryTable> lastRow_;
    std::vector<int> firstBlocks_;  // of the runs
    TableSchema columns_;           // without the keys
    int64_t rowCount_ = 0;
};

}  // namespace pelorus
