// StopDeadline ends a process that was told to stop and does not: a request whose loop does not check for cancellation
// must not keep a node from ending.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "common/thread/mutex.h"

namespace pelorus {

// A deadline that runs while the object lives. The command owns it. All acknowledged changes are on disk, so that the
// process may end anywhere.
class StopDeadline {
public:
    // Calls `end` from a separate thread if the object still lives after `timeout`.
    StopDeadline(std::chrono::milliseconds timeout, std::function<void()> end);
    ~StopDeadline();
    StopDeadline(const StopDeadline&) = delete;
    StopDeadline& operator=(const StopDeadline&) = delete;

    // Logs that requests did not end, and ends the process at once, as if it had been killed.
    static void endProcess();

private:
    Mutex mutex_;
    CondVar changed_;
    bool isOver_ GUARDED_BY(mutex_) = false;
    std::thread thread_;
};

}  // namespace pelorus
