// Updates and deletes of a table in memory that sessions share. They are computed from a snapshot, so that no code of a
// user runs under a lock, and applied under it, unless another change came between.
#pragma once

#include <functional>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Changes the rows of a copy as the statement says; false when there is nothing to apply.
using ComputeChange = std::function<bool(MemoryTable& rows)>;

// Rows that are added meanwhile stay as they are, as if they came after the change. When rows changed meanwhile, a
// statement that only reads is computed again; any other throws SystemError, and so does one that others come
// before again and again. Then nothing has changed.
void changeShared(const Query& query, MemoryTable& table, const ComputeChange& compute, Context& context);

}  // namespace pelorus
