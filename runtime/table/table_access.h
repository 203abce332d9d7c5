// Rights to tables in memory that sessions share. SEC-07.
//
// A name that is looked up gives the table itself, and a variable may keep it: so each use of a table asks. What asks:
// calls of built-ins, queries, changes, indices and members.
#pragma once

#include <atomic>

#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "runtime/table/table.h"

namespace pelorus {

// Says who may use which shared table. A service; thread-safe.
class TableAccess {
public:
    virtual ~TableAccess() = default;
    // Throws UserError with <NoPrivilege> unless the table is open to all, or `principal` owns it or has the right.
    virtual void require(const Table& table, Right right, const Principal& principal) const = 0;
    virtual bool allows(const Table& table, Right right, const Principal& principal) const = 0;
    // Returns whether the access to any table is controlled. Costs one load.
    bool controlsAny() const { return controlled_.load(std::memory_order_acquire) > 0; }

protected:
    std::atomic<int> controlled_{0};
};

// Throws UserError when the running code has no such right to a table that sessions share; nothing for other values.
void requireAccess(const Context& context, const Table& table, Right right);
inline void requireAccess(const Context& context, const Value& value, Right right) {
    if (value.isTable()) requireAccess(context, value.table(), right);
}

}  // namespace pelorus
