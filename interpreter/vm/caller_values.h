// Values that the caller of a function view passes to its body. The body runs with the definer's rights, so that code
// of the caller among them would: functions are replaced by ones that run as the caller, other kinds of code are
// refused.
#pragma once

#include <atomic>
#include <memory>

#include "runtime/function/context.h"
#include "runtime/function/function.h"

namespace pelorus {

// The caller of a running view: what functions of it go back to. The pointers live until `hasEnded`.
struct ViewCaller {
    explicit ViewCaller(const Context& context)
        : request(context.request), definer(context.definer), session(context.session), scope(context.scope) {}

    Request* const request;
    const Principal* const definer;
    void* const session;
    const Scope* const scope;
    std::atomic<bool> hasEnded{false};
};

// Returns the value with its functions replaced by ones that run as the caller; the same value when it holds none.
// Built-ins that depend on their arguments only stay as they are. Throws UserError for metacode, data sources and
// instances of classes.
Value guardedValue(const Value& value, const std::shared_ptr<ViewCaller>& caller);
// Returns the value with the caller's own functions in place of those that guardedValue made for it.
Value unguardedValue(const Value& value, const ViewCaller& caller);

}  // namespace pelorus
