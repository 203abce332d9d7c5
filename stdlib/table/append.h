// Appending of rows to tables in memory and in databases.
#pragma once

#include "runtime/function/context.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"

namespace pelorus {

// Appends to a memory table in place (made unique first, locked when shared), or to a partitioned one as one
// transaction. `rows` is a table. Rows outside of all partitions are dropped, with one notice to the session. Throws
// UserError when columns do not fit; then nothing has changed.
AppendReport appendToTable(Context& context, Value& target, const MemoryTable& rows);

// Returns the arguments as rows for the target: a table, a tuple of columns, or one vector or scalar per column. Throws
// UserError when there are not as many as its columns, or they differ in length.
Ref<MemoryTable> rowsToAppend(Arguments arguments, const Table& target);

}  // namespace pelorus
