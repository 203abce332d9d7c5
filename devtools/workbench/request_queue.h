// RequestQueue is a thread that runs tasks in the order in which they were added.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <thread>

#include "common/thread/mutex.h"

namespace pelorus {

// A bounded queue with its thread. Thread-safe. Tasks must not throw.
class RequestQueue {
public:
    // Starts the thread. `tick` runs on it at this interval between tasks; empty: never.
    explicit RequestQueue(std::function<void()> tick = {}, std::chrono::milliseconds interval = {});
    // Drops the waiting tasks, and joins the thread after the running task.
    ~RequestQueue();
    RequestQueue(const RequestQueue&) = delete;
    RequestQueue& operator=(const RequestQueue&) = delete;

    // Adds a task. Returns false, and drops the task, when kMaxWaiting tasks wait or the queue is closed.
    bool add(std::function<void()> task);
    // Drops the waiting tasks, and all later ones.
    void close();

    static constexpr size_t kMaxWaiting = 1000;

private:
    void work();

    const std::function<void()> tick_;
    const std::chrono::milliseconds interval_;
    Mutex mutex_;
    CondVar changed_;
    std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
    bool isClosed_ GUARDED_BY(mutex_) = false;
    std::thread thread_;
};

}  // namespace pelorus
