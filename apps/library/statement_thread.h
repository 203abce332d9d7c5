// StatementThread runs the statements of a session on a thread of its own, while the caller's thread looks for signals.
#pragma once

#include <exception>
#include <functional>
#include <thread>

#include "common/thread/mutex.h"

namespace pelorus {

// The thread starts with the first task. One thread at a time calls `run`.
class StatementThread {
public:
    StatementThread() = default;
    ~StatementThread();
    StatementThread(const StatementThread&) = delete;
    StatementThread& operator=(const StatementThread&) = delete;

    // Runs the task, and returns when it has ended; calls `poll` on the calling thread each kPollInterval meanwhile.
    // Throws what the task throws.
    void run(const std::function<void()>& task, const std::function<void()>& poll);

    static constexpr std::chrono::milliseconds kPollInterval{50};

private:
    void work();

    Mutex mutex_;
    CondVar changed_;
    const std::function<void()>* task_ GUARDED_BY(mutex_) = nullptr;
    bool isDone_ GUARDED_BY(mutex_) = false;
    bool isEnding_ GUARDED_BY(mutex_) = false;
    std::exception_ptr failure_ GUARDED_BY(mutex_);
    std::thread thread_;
};

}  // namespace pelorus
