// How much memory the process may take, and how much it takes now: the buffers of vectors and all that `new` made
// (heap.cpp).
//
// Thread-safe. A request of kLargeBytes and more is refused before it would pass the limit. Smaller ones, which any
// code may make, are only counted: when they pass the limit, the next point that looks for a cancelled request
// (Context::checkCancelled) ends its request. Before anything is refused, caches give back what they hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>

#include "common/error.h"

namespace pelorus::memory {

// There is no room for what was asked for; nothing is wrong with what asked.
class OutOfMemory : public SystemError {
public:
    using SystemError::SystemError;
};

constexpr int64_t kLargeBytes = int64_t{1} << 20;

// 0 means no limit but the machine's. The default is 80 % of the memory that the machine, or the container, has.
void setLimitBytes(int64_t limit);
int64_t limitBytes();
int64_t usedBytes();
// Returns the resident memory of the process, used or not.
int64_t residentBytes();

// Throws OutOfMemory that names the size asked for and the limit when it would pass the limit; nothing is charged then.
void charge(int64_t sizeBytes);
void discharge(int64_t sizeBytes);

// Counts what was made (or, below zero, freed) already. A thread's notes reach the total in portions; inline, since
// every `new` comes here.
inline constinit thread_local int64_t notedBytes = 0;
void passNotes() noexcept;
inline void note(int64_t sizeBytes) noexcept {
    constexpr int64_t kPortion = 256 << 10;
    notedBytes += sizeBytes;
    if (notedBytes >= kPortion || notedBytes <= -kPortion) passNotes();
}

extern std::atomic<bool> limitIsPassed;
// Whether small requests have passed the limit since checkLimit last looked.
inline bool isPassed() {
    return limitIsPassed.load(std::memory_order_relaxed);
}
// Throws OutOfMemory when more is in use than the limit allows, without what caches can give back.
void checkLimit();

// Returns how much all caches hold, and could free.
int64_t cachedBytes();
// Makes caches give back about so much.
void shrinkCaches(int64_t sizeBytes);

// A cache in the eyes of the limit, as long as it lives. Both functions may be called on any thread that makes memory:
// they must not wait for a lock under which somebody does.
class Cache {
public:
    Cache(std::function<int64_t()> usedBytes, std::function<void(int64_t sizeBytes)> shrink);
    ~Cache();
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;

private:
    friend int64_t cachedBytes();
    friend void shrinkCaches(int64_t sizeBytes);
    std::function<int64_t()> usedBytes_;
    std::function<void(int64_t)> shrink_;
    std::list<Cache*>::iterator place_;
};

}  // namespace pelorus::memory
