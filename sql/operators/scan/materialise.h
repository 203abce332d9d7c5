// Rows of any table, in memory.
#pragma once

#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Materializes all rows and columns of a table in memory, the partitions' in order.
Ref<MemoryTable> materialise(const Value& table, Context& context);

}  // namespace pelorus
