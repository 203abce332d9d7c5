#include "streaming/subscription/strands.h"

#include <algorithm>

namespace pelorus {

Strands::Strands(int workers) : workers_(std::max(workers, 1)) {}

Strands::~Strands() {
    stop();
}

void Strands::add(const std::shared_ptr<Strand>& strand, std::shared_ptr<StrandTask> task) {
    strand->tasks.push_back(std::move(task));
    if (strand->isReady) return;
    strand->isReady = true;
    strands_.push_back(strand);
    if (idle_ > 0) {
        ready_.notifyOne();
    } else if (threads_ < workers_) {
        startThread();
    } else {
        watchBlocked();
    }
}

// Lets the thread that keeps the time look whether the first ready strand waits for long.
void Strands::watchBlocked() {
    if (!strands_.empty() && idle_ == 0 && !watches_) tick_.notifyAll();
}

void Strands::start() {
    if (!timer_.joinable()) timer_ = std::thread([this] { keepTime(); });
}

// A thread is detached: it touches this object under the mutex only, and stop waits until the last one has ended.
void Strands::startThread() {
    const int number = ++lastNumber_;
    std::thread([this, number] { work(number); }).detach();
    ++threads_;
}

void Strands::post(const std::shared_ptr<Strand>& strand, std::shared_ptr<StrandTask> task) {
    const MutexLock lock(mutex_);
    if (stopping_) return;
    start();
    add(strand, std::move(task));
}

void Strands::postAt(Clock::time_point when, const std::shared_ptr<Strand>& strand, std::weak_ptr<StrandTask> task) {
    const MutexLock lock(mutex_);
    if (stopping_) return;
    start();
    timed_.push({when, strand, std::move(task)});
    tick_.notifyAll();
}

void Strands::work(int number) {
    MutexLock lock(mutex_);
    while (!stopping_) {
        if (strands_.empty()) {
            ++idle_;
            const bool isWoken = ready_.waitFor(lock, kSpareTime);
            --idle_;
            if (!isWoken && strands_.empty() && threads_ > workers_) break;
            continue;
        }
        const std::shared_ptr<Strand> strand = strands_.front();
        strands_.pop_front();
        std::shared_ptr<StrandTask> task = strand->tasks.front();
        strand->tasks.pop_front();
        watchBlocked();
        lock.unlock();
        task->run(number);
        task.reset();  // may be the last owner: its end takes other locks
        lock.lock();
        // It goes behind the others, so that a busy strand takes turns with them.
        if (strand->tasks.empty()) {
            strand->isReady = false;
        } else {
            strands_.push_back(strand);
        }
    }
    --threads_;
    stopped_.notifyAll();
}

// Posts timed tasks, and starts a spare thread when all have been busy for a while.
void Strands::keepTime() {
    MutexLock lock(mutex_);
    while (!stopping_) {
        const bool isBlocked = !strands_.empty() && idle_ == 0 && threads_ < kMostThreads;
        Clock::time_point wake =
            Clock::now() + (isBlocked ? Clock::duration(kBlockedTime) : Clock::duration(kSpareTime));
        if (!timed_.empty()) wake = std::min(wake, timed_.top().when);
        const std::shared_ptr<Strand> waiting = isBlocked ? strands_.front() : nullptr;
        watches_ = isBlocked;
        tick_.waitUntil(lock, wake);
        if (waiting && !stopping_ && !strands_.empty() && strands_.front() == waiting && idle_ == 0) startThread();
        while (!timed_.empty() && timed_.top().when <= Clock::now()) {
            const Timed due = timed_.top();
            timed_.pop();
            if (auto task = due.task.lock()) add(due.strand, std::move(task));
        }
    }
}

void Strands::stop() {
    std::deque<std::shared_ptr<Strand>> dropped;  // freed without the mutex
    std::thread timer;
    {
        MutexLock lock(mutex_);
        stopping_ = true;
        dropped.swap(strands_);
        ready_.notifyAll();
        tick_.notifyAll();
        while (threads_ > 0) stopped_.wait(lock);
        timer = std::move(timer_);
    }
    if (timer.joinable()) timer.join();
}

}  // namespace pelorus
