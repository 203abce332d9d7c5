#include "apps/library/statement_thread.h"

#include <utility>

#include "common/thread/thread_start.h"

namespace pelorus {

// Waits for a flag a little while, without sleeping: to sleep and to be woken costs more than a short statement takes.
// Yields meanwhile, so that a machine whose processors are all busy runs the other thread.
static void awaitShortly(const std::atomic<bool>& flag) {
    constexpr std::chrono::microseconds kLimit{30};
    if (flag.load(std::memory_order_acquire)) return;
    const auto end = std::chrono::steady_clock::now() + kLimit;
    while (!flag.load(std::memory_order_acquire) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

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
    hasTask_ = true;
    changed_.notifyAll();
    lock.unlock();
    awaitShortly(isDone_);
    lock.lock();
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
        lock.unlock();
        awaitShortly(hasTask_);
        lock.lock();
        while (!task_ && !isEnding_) changed_.wait(lock);
        if (!task_) return;
        const auto& task = *std::exchange(task_, nullptr);
        hasTask_ = false;
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
