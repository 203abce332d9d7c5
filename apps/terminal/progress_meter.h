// ProgressMeter shows the progress of a long statement as a line on a terminal.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "common/thread/mutex.h"
#include "runtime/function/progress.h"

namespace pelorus {

// The meter of one statement. Its thread redraws a line on standard error ten times a second, from the first second on:
// the work, the fraction that is done, the rate and the remaining time, or else how long the statement has run. The
// destructor erases the line.
class ProgressMeter {
public:
    // Starts the thread if `isShown`. `progress` is called by the thread.
    ProgressMeter(bool isShown, std::function<Progress::Snapshot()> progress);
    ~ProgressMeter();
    ProgressMeter(const ProgressMeter&) = delete;
    ProgressMeter& operator=(const ProgressMeter&) = delete;

    // Erases the line and runs `write`, so that the output of a statement does not mix with the line.
    void interrupt(const std::function<void()>& write);

private:
    void run();
    void draw() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void erase() EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    const std::function<Progress::Snapshot()> progress_;
    const std::chrono::steady_clock::time_point begin_;
    Mutex mutex_;  // also held while the line on the terminal changes
    CondVar stopped_;
    bool isStopped_ GUARDED_BY(mutex_) = false;
    bool isDrawn_ GUARDED_BY(mutex_) = false;
    const char* work_ GUARDED_BY(mutex_) = nullptr;  // work that the line shows since workBegin_
    std::chrono::steady_clock::time_point workBegin_ GUARDED_BY(mutex_);
    std::thread thread_;
};

// Returns the line for `width` columns of a terminal: "import  43 % ████▌      1.2 GB of 2.9 GB, 310 MB/s, 5 s left".
std::string progressLine(const Progress::Snapshot& progress, double seconds, int width);

}  // namespace pelorus
