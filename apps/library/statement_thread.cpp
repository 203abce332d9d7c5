#include "apps/library/statement_thread.h"

#include <utility>

#include "common/thread/thread_start.h"

namespace pelorus {

StatementThread::~StatementThread() {
    {
        const MutexLock lock(mutex_);
        isEnding_ = true;
    }
    changed_.notifyAll();
    if (thread_.joinable()) thread_.join();
}

void StatementThread::run(const std::function<void()>& task, const std::function<void()>& poll) {
    if (!thread_.joinable()) thread_ = startThread([this] { work(); });
    MutexLock lock(mutex_);
    task_ = &task;
    isDone_ = false;
    failure_ = nullptr;
    changed_.notifyAll();
    auto deadline = std::chrono::steady_clock::now() + kPollInterval;
    while (!isDone_) {
        if (changed_.waitUntil(lock, deadline)) continue;
        lock.unlock();
        poll();
        lock.lock();
        deadline = std::chrono::steady_clock::now() + kPollInterval;
    }
    if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void StatementThread::work() {
    MutexLock lock(mutex_);
    for (;;) {
        while (!task_ && !isEnding_) changed_.wait(lock);
        if (!task_) return;
        const auto& task = *std::exchange(task_, nullptr);
        lock.unlock();
        std::exception_ptr failure;
        try {
            task();
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        failure_ = std::move(failure);
        isDone_ = true;
        changed_.notifyAll();
    }
}

}  // namespace pelorus
