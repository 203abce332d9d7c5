// The share of one request or batch job in the threads that loops run on.
//
// A loop of parallelFor runs on the thread that called it and on helpers of the arena that this thread works in.
// Arenas are apart: a request finds its own thread free however many loops of others wait for helpers. Loops of an
// arena that was lowered get helpers of low priority only, which give way to all others.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "common/thread/lasting_share.h"

namespace pelorus {

class WorkArena {
public:
    // `parallelism`: the largest number of threads that work at once, the caller's included; at least 1.
    explicit WorkArena(int parallelism);
    ~WorkArena();
    WorkArena(const WorkArena&) = delete;
    WorkArena& operator=(const WorkArena&) = delete;

    // Lowers the arena for good: loops that run now lose their helpers within a piece of work and get lowered ones. Any
    // thread.
    void lower() { isLow_.store(true, std::memory_order_relaxed); }
    bool isLow() const { return isLow_.load(std::memory_order_relaxed); }

    // Calls piece(0) … piece(count - 1), each once, on the caller's thread and helpers, and returns when all are done.
    // `piece` must not throw. The caller takes no pieces of other loops meanwhile, since it may hold a lock.
    void run(int64_t count, const std::function<void(int64_t)>& piece);

    // Returns the arena of the thread: that of the innermost WorkScope, else the one of the process.
    static WorkArena& current();
    // Returns that of the innermost WorkScope; null outside of any.
    static WorkArena* ofThread();

    // Memory that threads took while they worked in the arena, less what they gave back. What one arena takes and
    // another gives back, such as the contents of a cache, is counted for both.
    void noteBytes(int64_t sizeBytes) { heldBytes_.fetch_add(sizeBytes, std::memory_order_relaxed); }
    int64_t heldBytes() const { return heldBytes_.load(std::memory_order_relaxed); }

    // Bounds what the request leaves in the process; before it begins. Null, as at first: no bound.
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
