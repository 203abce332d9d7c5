// f(…) over (partition by … order by … frame): SQL-70 … SQL-73.
#pragma once

#include "runtime/code/query.h"
#include "runtime/context.h"
#include "runtime/table.h"

namespace pelorus {

bool holdsWindow(const Node& node);

// The query with each window function computed into a column of `rows`, under a name that no script can write, and
// standing as that column in the query. Throws UserError where a window function may not stand.
Ref<Query> withWindowColumns(const Query& query, MemoryTable& rows, Context& context);

}  // namespace pelorus
