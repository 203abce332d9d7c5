// The end of a process that was told to stop and does not come to it: a loop of a request that asks for no cancellation
// must not keep a node from ending.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "common/thread/mutex.h"

namespace pelorus {

// A deadline that runs while it lives. Owned by the command; what was acknowledged is on disk, so that the process may
// end anywhere.
class StopDeadline {
public:
    // Calls `end` from a thread of its own when it still lives after so long.
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
