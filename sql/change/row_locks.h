// Locks the rows of a row table that a query returns, before it returns them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/append/row_access.h"
#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

class KeptChange;

// Returns what the conditions of a query say of the values of single columns.
std::vector<ColumnConstraint> constraintsOfRows(const Query& query, const TableSchema& columns, Context& context);

// Locks the rows of the table that satisfy the conditions of `query`, in its order, and returns them as they are now:
// rows that others have changed since the statement's snapshot must satisfy the conditions still. `query` is over that
// table, which its `table` names, and has no groups; its limit and offset are left to the caller, who says in `limit`
// how many rows are wanted at most. Throws as RowAccess::lockRows.
struct RowLock {
    RowLockStrength strength = RowLockStrength::Update;
    RowLockPolicy policy = RowLockPolicy::Wait;
    int64_t limit = INT64_MAX;
    // The condition, as that of a delete, which is bound once; it outlives the call. Null: it is bound at each.
    const KeptChange* condition = nullptr;
    // Returns the positions of the rows in the order of the query, where it has one and `condition` is given.
    std::function<std::vector<int32_t>(const MemoryTable& rows)> order = {};
};
// Returns the condition of a query, without its order, for `RowLock::condition`; null where the engine has to run the
// whole query.
std::shared_ptr<const KeptChange> keptCondition(const Query& query);
Ref<MemoryTable> lockMatchingRows(const Query& query, const Value& table, const RowLock& lock, Transaction& transaction,
                                  Context& context);

}  // namespace pelorus
