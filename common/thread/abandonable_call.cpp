#include "common/thread/abandonable_call.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

#include "common/thread/cancellation.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_start.h"

namespace pelorus {

namespace {

constexpr auto kCheckInterval = std::chrono::milliseconds(20);
constexpr int kLowestPriority = 19;

// A count of the calls that run. Never destroyed: abandoned threads may outlive the statics of the process.
struct RunningCalls {
    Mutex mutex;
    CondVar changed;
    int count GUARDED_BY(mutex) = 0;
};

// Ends the process with `status` at once if calls still run: libraries free their buffers when the process ends, while
// the threads of abandoned calls go on using them.
void endProcessUnderCalls(int status, void* given) {
    auto& calls = *static_cast<RunningCalls*>(given);
    const MutexLock lock(calls.mutex);  // no call ends or begins meanwhile
    if (calls.count == 0) return;
    std::fflush(nullptr);
    ::_exit(status);
}

RunningCalls& runningCalls() {
    static auto* const calls = [] {
        auto* const made = new RunningCalls;
        // Handlers run in the reverse order: this one before those of the libraries, which were loaded earlier.
        ::on_exit(endProcessUnderCalls, made);
        return made;
    }();
    return *calls;
}

void enter(RunningCalls& calls) {
    MutexLock lock(calls.mutex);
    while (calls.count >= kMaxAbandonableCalls) {
        checkCancelled();
        calls.changed.waitFor(lock, kCheckInterval);
    }
    ++calls.count;
}

void leave(RunningCalls& calls) {
    const MutexLock lock(calls.mutex);
    --calls.count;
    calls.changed.notifyAll();
}

// The state of one call, shared by the thread that waits and the one that works.
struct Call {
    Mutex mutex;
    CondVar changed;
    bool hasEnded GUARDED_BY(mutex) = false;
    pid_t thread GUARDED_BY(mutex) = 0;
};

}  // namespace

void callAbandonable(std::function<void()> work) {
    RunningCalls& calls = runningCalls();
    enter(calls);
    const auto call = std::make_shared<Call>();
    try {
        startThread([call, &calls, work = std::move(work)]() mutable {
            {
                const MutexLock lock(call->mutex);
                call->thread = static_cast<pid_t>(::syscall(SYS_gettid));
            }
            work();
            work = nullptr;  // frees what the call used before anybody hears of the end
            leave(calls);
            const MutexLock lock(call->mutex);
            call->hasEnded = true;
            call->changed.notifyAll();
        }).detach();
    } catch (...) {
        leave(calls);
        throw;
    }
    MutexLock lock(call->mutex);
    while (!call->hasEnded) {
        call->changed.waitFor(lock, kCheckInterval);
        try {
            checkCancelled();
        } catch (...) {
            if (!call->hasEnded && call->thread != 0)
                ::setpriority(PRIO_PROCESS, static_cast<id_t>(call->thread), kLowestPriority);
            throw;
        }
    }
}

}  // namespace pelorus
