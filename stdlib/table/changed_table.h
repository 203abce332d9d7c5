// Access of functions to the memory table that they change.
#pragma once

#include "common/thread/mutex.h"
#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "runtime/table/stored_table.h"
#include "runtime/table/table.h"
#include "runtime/table/table_changes.h"
#include "stdlib/arguments.h"

namespace pelorus {

// The table of a call that changes it: the caller's own, or the shared one under its lock. A stream table is refused
// when the call does more than append to it.
class ChangedTable {
public:
    explicit ChangedTable(Value& argument, bool addsOnly = false)
        : argument_(argument), guard_(prepare(argument, addsOnly)) {}
    MemoryTable& operator*() const { return static_cast<MemoryTable&>(argument_.table()); }
    MemoryTable* operator->() const { return &**this; }
    // Returns the table, after all changes.
    const Value& value() const {
        (*this)->keep();
        return argument_;
    }

private:
    // Returns the lock of a shared table; makes any other the caller's own.
    static RecursiveMutex* prepare(Value& argument, bool addsOnly) {
        if (!argument.isTable() || !asMemoryTable(argument)) {
            refuseArgument(0, "table", "a table in memory", argument);
        }
        auto& table = static_cast<MemoryTable&>(argument.table());
        if (!addsOnly) requireChangeable(table);
        if (!table.lock) argument.makeUnique();
        return table.lock.get();
    }

    Value& argument_;
    const OptionalLock guard_;
};

// Returns the argument as a table of a database whose columns the user may change, or null for another value. `right`
// is that to create or to drop objects of the database. Throws UserError for a user who may not.
inline StoredTable* storedTableToAlter(Context& context, const Value& argument, Right right) {
    StoredTable* stored = argument.isTable() ? dynamic_cast<StoredTable*>(&argument.table()) : nullptr;
    if (stored) argument.table().asPartitioned()->requireToAlter(context.principal(), right);
    return stored;
}

}  // namespace pelorus
