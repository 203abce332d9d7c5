// LoweredWorkers is a pool of threads of low priority for the loops of batch jobs, and of requests that have run for
// long. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <thread>
#include <vector>

#include "common/thread/mutex.h"

namespace pelorus {

// A loop whose threads take the next number from a counter, so that threads may join and leave it at any time.
struct SharedLoop {
    const int64_t count;
    const std::function<void(int64_t)>& piece;
    std::atomic<int64_t> next{0};

    bool isTaken() const { return next.load(std::memory_order_relaxed) >= count; }
    // Runs pieces until none remains, or until `leaves` returns true between two of them.
    template <class Leaves>
    void work(Leaves leaves) {
        while (!leaves()) {
            const int64_t i = next.fetch_add(1, std::memory_order_relaxed);
            if (i >= count) return;
            piece(i);
        }
    }
};

// The pool. The threads start with the first loop, and end with the object.
class LoweredWorkers {
public:
    explicit LoweredWorkers(int threads) : wanted_(threads) {}
    ~LoweredWorkers();
    LoweredWorkers(const LoweredWorkers&) = delete;
    LoweredWorkers& operator=(const LoweredWorkers&) = delete;

    // Runs the remaining pieces of the loop on the caller's thread and at most `helpers` others, and returns when all
    // are done. The loop with the fewest helpers gets the next free thread.
    void run(SharedLoop& loop, int helpers);

private:
    struct Open {
        SharedLoop* loop;
        int mostHelpers;
        int helpers = 0;
        CondVar left{};  // notified when the last helper has left
    };
    void start() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void help();
    Open* neediest() EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    const int wanted_;
    Mutex mutex_;
    CondVar opened_;
    std::list<Open*> open_ GUARDED_BY(mutex_);  // objects on the stacks of `run`
    std::vector<std::thread> threads_ GUARDED_BY(mutex_);
    bool isStarted_ GUARDED_BY(mutex_) = false;
    bool isEnding_ GUARDED_BY(mutex_) = false;
};

}  // namespace pelorus
