// LockWaitScope tells that a request waits for a lock, so that lists of sessions can show it.
#pragma once

#include <string_view>

#include "common/thread/cancellation.h"

namespace pelorus {

// Scope in which the request with this cancellation flag waits for a lock. `what` is what the lock is of, in words of
// PostgreSQL's wait events; a literal. Without a flag nothing is told.
class LockWaitScope {
public:
    LockWaitScope(const CancellationFlag* flag, std::string_view what);
    ~LockWaitScope();
    LockWaitScope(const LockWaitScope&) = delete;
    LockWaitScope& operator=(const LockWaitScope&) = delete;

private:
    const CancellationFlag* const flag_;
};

// Returns what the request with this flag waits for, empty when it waits for no lock. Thread-safe.
std::string_view lockWaitOf(const CancellationFlag& flag);

}  // namespace pelorus
