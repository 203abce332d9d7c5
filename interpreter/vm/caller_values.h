// Guards the values that the caller of a function view passes to its body. The body runs with the definer's rights, and
// so would code among the values: functions are replaced by ones that run as the caller, other kinds of code are
// refused.
#pragma once

#include <atomic>
#include <memory>

#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "runtime/table/table_access.h"

namespace pelorus {

// The caller of a running view, as whom its functions run. The pointers are valid until `hasEnded`.
struct ViewCaller {
    explicit ViewCaller(const Context& context)
        : request(context.request),
          definer(context.definer),
          callerTables(context.callerTables),
          session(context.session),
          scope(context.scope),
          tables(context.principal(), context.callerTables) {}

    Request* const request;
    const Principal* const definer;
    const CallerTables* const callerTables;
    void* const session;
    const Scope* const scope;
    CallerTables tables;  // tables that the caller passed
    std::atomic<bool> hasEnded{false};
};

// Returns the value with its functions replaced by ones that run as the caller; the same value when it contains none.
// Built-ins that depend on their arguments only are not replaced. Shared tables are recorded as the caller's. Throws
// UserError for metacode, data sources and instances of classes.
Value guardedValue(const Value& value, const std::shared_ptr<ViewCaller>& caller);
// Returns the value with the caller's own functions in place of those that guardedValue made for it.
Value unguardedValue(const Value& value, const ViewCaller& caller);

}  // namespace pelorus
