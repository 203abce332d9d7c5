// WorkArena is the share of one request or batch job in the threads that run loops.
//
// A loop of parallelFor runs on the thread that called it and on helpers of the arena that this thread works in. Arenas
// are independent: a request's own thread is free however many loops of others wait for helpers. Loops of an arena that
// was lowered get helpers of low priority only.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "common/thread/lasting_share.h"

namespace pelorus {

// The arena of one request. RequestSlot and JobQueue make one for each request and job. Thread-safe.
class WorkArena {
public:
    // `parallelism` is the maximum number of threads that work at once, the caller's included, and is 1 or more.
    explicit WorkArena(int parallelism);
    ~WorkArena();
    WorkArena(const WorkArena&) = delete;
    WorkArena& operator=(const WorkArena&) = delete;

    // Lowers the arena for good: running loops lose their helpers after the present piece of work and get lowered ones.
    // Any thread.
    void lower() { isLow_.store(true, std::memory_order_relaxed); }
    bool isLow() const { return isLow_.load(std::memory_order_relaxed); }

    // Calls piece(0) … piece(count - 1), each once, on the caller's thread and helpers, and returns when all are done.
    // The caller runs no pieces of other loops meanwhile, since it may hold a lock. REQUIRES: `piece` does not throw.
    void run(int64_t count, const std::function<void(int64_t)>& piece);

    // Returns the arena of the thread: that of the innermost WorkScope, or else the one of the process.
    static WorkArena& current();
    // Returns the arena of the innermost WorkScope; null outside of any.
    static WorkArena* ofThread();

    // Counts the memory that threads allocated while they worked in the arena, less what they freed. Memory that one
    // arena allocates and another frees, such as the contents of a cache, changes the counts of both.
    void noteBytes(int64_t sizeBytes) { heldBytes_.fetch_add(sizeBytes, std::memory_order_relaxed); }
    int64_t heldBytes() const { return heldBytes_.load(std::memory_order_relaxed); }

    // Limits the memory that the request leaves in the process; null, the default, is no limit. Called before the
    // request begins.
    void setLastingShare(std::shared_ptr<LastingShare> share) { lasting_ = std::move(share); }
    LastingShare* lastingShare() const { return lasting_.get(); }

private:
    struct Threads;
    Threads& threads();

    const int parallelism_;
    std::shared_ptr<LastingShare> lasting_;
    std::atomic<bool> isLow_{false};
    std::atomic<int64_t> heldBytes_{0};
    std::atomic<Threads*> threads_{nullptr};  // made at the first loop, owned
};

// Scope in which the thread works in an arena. Helpers enter it by themselves.
class WorkScope {
public:
    explicit WorkScope(WorkArena& arena);
    ~WorkScope();
    WorkScope(const WorkScope&) = delete;
    WorkScope& operator=(const WorkScope&) = delete;

private:
    WorkArena* outer_;
};

}  // namespace pelorus
