// The line on a terminal that says how far a long statement is.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "common/thread/mutex.h"
#include "runtime/function/progress.h"

namespace pelorus {

// While a meter lives, its own thread redraws a line on standard error ten times a second, from the first second
// on: the work, the share that is done, the rate and the remaining time; how long the statement has run where no work
// says how far it is. Nothing where standard error is no terminal. The line is gone when the object goes.
class ProgressMeter {
public:
    ProgressMeter(bool isShown, std::function<Progress::Snapshot()> progress);
    ~ProgressMeter();
    ProgressMeter(const ProgressMeter&) = delete;
    ProgressMeter& operator=(const ProgressMeter&) = delete;

    // Runs `write` with the line away, so that what a statement prints does not mix with it.
    void interrupt(const std::function<void()>& write);

private:
    void run();
    void draw() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void erase() EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    const std::function<Progress::Snapshot()> progress_;
    const std::chrono::steady_clock::time_point begin_;
    Mutex mutex_;  // also guards the line on the terminal
    CondVar stopped_;
    bool isStopped_ GUARDED_BY(mutex_) = false;
    bool isDrawn_ GUARDED_BY(mutex_) = false;
    const char* work_ GUARDED_BY(mutex_) = nullptr;  // that the line shows, since:
    std::chrono::steady_clock::time_point workBegin_ GUARDED_BY(mutex_);
    std::thread thread_;
};

// The line, for `width` columns of a terminal: "import  43 % ████▌      1.2 GB of 2.9 GB, 310 MB/s, 5 s left".
std::string progressLine(const Progress::Snapshot& progress, double seconds, int width);

}  // namespace pelorus
