// A thread that carries out tasks in their order.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <thread>

#include "common/thread/mutex.h"

namespace pelorus {

class RequestQueue {
public:
    // `tick` runs at this interval between tasks; empty: never.
    explicit RequestQueue(std::function<void()> tick = {}, std::chrono::milliseconds interval = {});
    // Drops tasks that wait, and joins the thread after the running one.
    ~RequestQueue();
    RequestQueue(const RequestQueue&) = delete;
    RequestQueue& operator=(const RequestQueue&) = delete;

    // Returns false when kMaxWaiting tasks wait: the task is not taken.
    bool add(std::function<void()> task);
    // Drops the tasks that wait; later ones are not taken.
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
