// Updates and deletes of a table in memory that sessions share. They are computed from a snapshot, so that no code of a
// user runs under a lock, and applied under it, unless a conflicting change came first (optimistic concurrency).
#pragma once

#include <functional>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Changes the rows of a copy as the statement says; returns false when there is nothing to apply.
using ComputeChange = std::function<bool(MemoryTable& rows)>;

// Rows that are added concurrently stay, as if they came after the change. On a conflict, a read-only statement is
// computed again; any other throws SystemError, and so does one that meets too many conflicts. Then nothing has
// changed.
void changeShared(const Query& query, MemoryTable& table, const ComputeChange& compute, Context& context);

}  // namespace pelorus
