// Strands runs the messages of subscriptions: tasks of one strand never overlap and keep their order, those of
// different strands run on several threads.
//
// A task may wait, for a disk or another node: once every thread has been busy for kBlockedTime while a strand is
// ready, a further thread starts, so that no waiting handler stops another stream.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <thread>
#include <vector>

#include "common/thread/mutex.h"

namespace pelorus {

// Work that a strand runs.
class StrandTask {
public:
    virtual ~StrandTask() = default;
    // Runs once; throws nothing. `worker` is the number of the thread, from 1.
    virtual void run(int worker) = 0;
};

// A queue of tasks that run one after the other. Guarded by the mutex of its Strands.
struct Strand {
    std::deque<std::shared_ptr<StrandTask>> tasks;
    bool isReady = false;  // among the ready strands, or running
};

// The threads of a process. Thread-safe.
class Strands {
public:
    using Clock = std::chrono::steady_clock;

    // Starts no thread before the first task is posted.
    explicit Strands(int workers);
    // Calls stop.
    ~Strands();

    // Lets the strand run the task after those that it has.
    void post(const std::shared_ptr<Strand>& strand, std::shared_ptr<StrandTask> task);
    // Posts the task at that time, unless its owner is gone then.
    void postAt(Clock::time_point when, const std::shared_ptr<Strand>& strand, std::weak_ptr<StrandTask> task);
    // Drops all tasks and waits for those that run.
    void stop();

private:
    static constexpr auto kBlockedTime = std::chrono::milliseconds(20);
    static constexpr auto kSpareTime = std::chrono::seconds(10);
    static constexpr int kMostThreads = 32;

    struct Timed {
        Clock::time_point when;
        std::shared_ptr<Strand> strand;
        std::weak_ptr<StrandTask> task;
        bool operator>(const Timed& other) const { return when > other.when; }
    };

    void add(const std::shared_ptr<Strand>& strand, std::shared_ptr<StrandTask> task) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void watchBlocked() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void startThread() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void start() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void work(int number);
    void keepTime();

    const int workers_;
    Mutex mutex_;
    CondVar ready_;                                                   // a strand is ready, or all must stop
    CondVar tick_;                                                    // a timed task came, or all must stop
    CondVar stopped_;                                                 // a thread has ended
    std::deque<std::shared_ptr<Strand>> strands_ GUARDED_BY(mutex_);  // the ready ones, oldest first
    std::priority_queue<Timed, std::vector<Timed>, std::greater<>> timed_ GUARDED_BY(mutex_);
    int threads_ GUARDED_BY(mutex_) = 0;
    int idle_ GUARDED_BY(mutex_) = 0;
    int lastNumber_ GUARDED_BY(mutex_) = 0;
    bool watches_ GUARDED_BY(mutex_) = false;  // the time of the first ready strand is looked at
    bool stopping_ GUARDED_BY(mutex_) = false;
    std::thread timer_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
