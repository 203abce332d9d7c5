#include "common/thread/lowered_workers.h"

#include <csignal>
#include <system_error>

#include "common/thread/thread_priority.h"

namespace pelorus {

LoweredWorkers::~LoweredWorkers() {
    std::vector<std::thread> threads;
    {
        const MutexLock lock(mutex_);
        isEnding_ = true;
        threads.swap(threads_);
    }
    opened_.notifyAll();
    for (std::thread& thread : threads) thread.join();
}

// Starts as many threads as the machine permits; loops run with fewer helpers if it is less than wanted.
void LoweredWorkers::start() {
    if (isStarted_) return;
    isStarted_ = true;
    // Signals of the process go to other threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        for (int i = 0; i < wanted_; ++i) threads_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LoweredWorkers::Open* LoweredWorkers::neediest() {
    Open* found = nullptr;
    for (Open* open : open_) {
        if (open->helpers >= open->mostHelpers || open->loop->isTaken()) continue;
        if (!found || open->helpers < found->helpers) found = open;
    }
    return found;
}

void LoweredWorkers::help() {
    lowerThread(currentThreadId());
    MutexLock lock(mutex_);
    while (!isEnding_) {
        Open* open = neediest();
        if (!open) {
            opened_.wait(lock);
            continue;
        }
        ++open->helpers;
        lock.unlock();
        open->loop->work([] { return false; });
        lock.lock();
        // The caller may return, and `open` be gone, once the lock is free.
        if (--open->helpers == 0) open->left.notifyAll();
    }
}

void LoweredWorkers::run(SharedLoop& loop, int helpers) {
    Open open{.loop = &loop, .mostHelpers = helpers};
    if (helpers > 0 && wanted_ > 0) {
        const MutexLock lock(mutex_);
        start();
        open_.push_back(&open);
        opened_.notifyAll();
    }
    loop.work([] { return false; });
    MutexLock lock(mutex_);
    open_.remove(&open);
    while (open.helpers > 0) open.left.wait(lock);
}

}  // namespace pelorus
