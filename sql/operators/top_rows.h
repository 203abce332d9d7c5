// The first rows in an order, without ordering all of them or reading what they show before they are known.
#pragma once

#include <vector>

#include "runtime/kernel/sort/row_order.h"
#include "sql/operators/collect_rows.h"

namespace pelorus {

// How a column stands in the order; `item` is its place among the items.
struct TopKey {
    size_t item;
    bool ascending = true;
    bool nullsGiven = false;
    bool nullsFirst = true;
};

// The first `count` rows of `source` that pass `filter`, in the order of the keys and, where those are equal, of the
// source. Only the keys are computed for all rows; blocks whose bounds stand behind `count` rows that were met are not
// read, and the other items are computed for the rows of the result. Memory: O(count) per morsel.
// REQUIRES: keys are not empty, count > 0.
Ref<MemoryTable> topRows(const RowSource& source, Filter& filter, const std::vector<RowItem>& items,
                         const std::vector<TopKey>& keys, int64_t count, Context& context);

}  // namespace pelorus
