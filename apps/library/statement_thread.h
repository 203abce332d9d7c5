// StatementThread runs the statements of a session on a thread of its own, while the caller's thread looks for signals.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>

#include "common/thread/mutex.h"

namespace pelorus {

// The thread starts with the first task. Both threads wait for each other awake for some microseconds before they
// sleep, so that short statements, one after another, cost no wake-ups. One thread at a time calls `run`.
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
    std::atomic<bool> hasTask_{false};  // whether task_ is set; written with the mutex held
    std::atomic<bool> isDone_{false};   // written with the mutex held
    bool isEnding_ GUARDED_BY(mutex_) = false;
    std::exception_ptr failure_ GUARDED_BY(mutex_);
    std::thread thread_;
};

}  // namespace pelorus
