// TableAccess checks the rights to tables in memory that sessions share.
//
// A look-up of a name returns the table itself, and a variable may keep it, also within a tuple or a dictionary: so
// each use of a table checks the right. These are calls of built-ins, queries, changes, operators, indices and members,
// errors that a script throws, and results for clients.
#pragma once

#include <atomic>
#include <string_view>
#include <unordered_map>

#include "common/thread/mutex.h"
#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "runtime/table/table.h"

namespace pelorus {

// The interface that decides which user may use which shared table. A service of the process; thread-safe.
class TableAccess {
public:
    virtual ~TableAccess() = default;
    // Throws UserError with <NoPrivilege> unless the table is open to all, or `principal` owns it or has the right.
    virtual void require(const Table& table, Right right, const Principal& principal) const = 0;
    virtual bool allows(const Table& table, Right right, const Principal& principal) const = 0;
    // Returns whether the access to any table of the process is controlled. Costs one load.
    static bool controlsAny() { return controlled_.load(std::memory_order_acquire) > 0; }

protected:
    static inline std::atomic<int> controlled_{0};
};

// A set of the shared tables that the caller of a running function view passed to its body. The body uses them with the
// rights of the caller, not of the view's definer. Thread-safe; lives as long as the call.
class CallerTables {
public:
    // `outer` are the tables of the view, if any, that called this one; it lives longer.
    CallerTables(const Principal& caller, const CallerTables* outer) : caller_(caller), outer_(outer) {}

    void add(const Ref<Table>& table);
    // Returns who passed the table; null when it came from no caller.
    const Principal* passedBy(const Table& table) const;

private:
    const Principal& caller_;
    const CallerTables* const outer_;
    mutable Mutex mutex_;
    std::unordered_map<const Table*, Ref<Table>> tables_ GUARDED_BY(mutex_);
};

// Throws UserError when the running code has no such right to a table that sessions share; nothing for other values.
void requireAccess(const Context& context, const Table& table, Right right);
inline void requireAccess(const Context& context, const Value& value, Right right) {
    if (value.isTable()) requireAccess(context, value.table(), right);
}
// Returns whether the running code has the right to the table.
bool hasAccess(const Context& context, const Table& table, Right right);

// Functions hold values, too: those that `string` shows, or all that a file would have.
enum class HeldValues : uint8_t { Shown, All };
// Throws as requireAccess does, for each table within the value: in tuples, dictionaries, cells, instances of classes
// and functions. O(1) while the access to no table is controlled.
void requireAccessWithin(const Context& context, const Value& value, Right right, HeldValues held = HeldValues::Shown);
// Throws UserError when the value holds a table that the caller of the running function view passed to it: `what`, as
// in "a job", would use it with the rights of the view's definer.
void refuseTablesOfCaller(const Context& context, const Value& value, std::string_view what);

}  // namespace pelorus
