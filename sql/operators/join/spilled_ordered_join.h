// Spilled as-of and window joins by an ordered key alone, of tables on disk that exceed memory: both sides are spilled,
// partitioned by ranges of the key, and each range of the left side is joined with the rows of the right that it can
// read.
#pragma once

#include <functional>
#include <string>

#include "runtime/function/context.h"
#include "sql/operators/join/joins.h"
#include "sql/operators/join/spilled_join.h"

namespace pelorus {

struct OrderedKey {
    std::string left, right;  // the columns
    // Returns the key ranges that left rows with these keys read.
    std::function<ReadRange(const Value& left, const Value& right)> range;
    bool sincePrevious = false;  // reading begins at the range of the left row before
    // Called with all right rows, in order, that precede those passed to the join next. May be empty.
    std::function<void(const MemoryTable& right)> pass = {};
};

// Joins all rows. `join` returns one row for each of the left. nullptr when the tables fit in memory or are there
// already, cannot be spilled, or when the ranges cannot be determined: `sincePrevious` needs a sorted left side.
Ref<MemoryTable> joinInRanges(const Value& left, const Value& right, const OrderedKey& key, const PartJoin& join,
                              Context& context);

}  // namespace pelorus
