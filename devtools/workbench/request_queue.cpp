#include "devtools/workbench/request_queue.h"

namespace pelorus {

RequestQueue::RequestQueue(std::function<void()> tick, std::chrono::milliseconds interval)
    : tick_(std::move(tick)), interval_(interval), thread_([this] { work(); }) {}

RequestQueue::~RequestQueue() {
    close();
    thread_.join();
}

bool RequestQueue::add(std::function<void()> task) {
    const MutexLock lock(mutex_);
    if (isClosed_ || tasks_.size() >= kMaxWaiting) return false;
    tasks_.push_back(std::move(task));
    changed_.notifyOne();
    return true;
}

void RequestQueue::close() {
    const MutexLock lock(mutex_);
    isClosed_ = true;
    tasks_.clear();
    changed_.notifyAll();
}

void RequestQueue::work() {
    for (;;) {
        std::function<void()> task;
        {
            MutexLock lock(mutex_);
            while (tasks_.empty() && !isClosed_) {
                if (!tick_) {
                    changed_.wait(lock);
                } else if (!changed_.waitFor(lock, interval_)) {
                    break;
                }
            }
            if (isClosed_) return;
            if (!tasks_.empty()) {
                task = std::move(tasks_.front());
                tasks_.pop_front();
            }
        }
        task ? task() : tick_();
    }
}

}  // namespace pelorus
