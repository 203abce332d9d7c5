// The rows that append! and its like are given.
#pragma once

#include "runtime/function/context.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"

namespace pelorus {

// Returns the arguments as rows for the target: a table, a tuple of columns, or one vector or scalar per column. Throws
// UserError when there are not as many as its columns, or they differ in length.
Ref<MemoryTable> rowsToAppend(Arguments arguments, const Table& target);

}  // namespace pelorus
