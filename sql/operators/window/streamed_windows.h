// Window functions without keys, of rows on disk that exceed memory: range by range of their order.
#pragma once

#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/operators/window/spillable_source.h"

namespace pelorus {

struct Window;

// Computes windows without `partition by` that have one order: a column for each, with the rows of the source in their
// order. Parts on disk have these columns of the source. Null without an order, or where one of its keys has no value
// for each row by itself; and where a window gives lists, or there are no rows.
Ref<MemoryTable> streamedWindows(const std::vector<const Window*>& windows, SpillableSource& source,
                                 const std::vector<int>& columns, Context& context);

}  // namespace pelorus
