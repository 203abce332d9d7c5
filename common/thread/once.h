// Once executes a function once, by the first caller, while others wait for it.
#pragma once

#include <atomic>

#include "common/thread/mutex.h"

namespace pelorus {

// A flag that replaces std::call_once, whose exceptions pass through C code without unwind tables. When f throws, the
// next caller tries again. Thread-safe. The callers wait under a lock, so f must not enter the same Once again.
class Once {
public:
    template <class F>
    void call(F f) {
        if (isDone_.load(std::memory_order_acquire)) return;
        const MutexLock guard(mutex_);
        if (isDone_.load(std::memory_order_relaxed)) return;
        f();
        isDone_.store(true, std::memory_order_release);
    }

private:
    Mutex mutex_;  // orders the callers: one runs f, the others wait for it
    std::atomic<bool> isDone_{false};
};

}  // namespace pelorus
