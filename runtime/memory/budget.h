// Memory budget: how much memory the process may take, and how much it takes now, by the buffers of vectors and all
// that `new` allocates (heap.cpp).
//
// Thread-safe. A request of kLargeBytes and more is refused before it would pass the limit. Smaller ones, which any
// code may make, are only counted: when they pass the limit, the next check for cancellation (Context::checkCancelled)
// ends its request. Before anything is refused, caches free the memory they hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>

#include "common/error.h"

namespace pelorus::memory {

// Thrown when an allocation does not fit the limit; the request itself is valid.
class OutOfMemory : public SystemError {
public:
    using SystemError::SystemError;
};

constexpr int64_t kLargeBytes = int64_t{1} << 20;

// Sets the limit; 0 means none but the machine's. The default is 80 % of the memory that the machine, or the container,
// has.
void setLimitBytes(int64_t limit);
int64_t limitBytes();
int64_t usedBytes();
// Returns the resident memory of the process, used or not.
int64_t residentBytes();

// Throws OutOfMemory, naming the size asked for and the limit, when the charge would pass the limit; nothing is charged
// then.
void charge(int64_t sizeBytes);
void discharge(int64_t sizeBytes);

// Counts memory that was allocated (or, below zero, freed) already. A thread's notes reach the total in batches;
// inline, since every `new` calls it.
inline constinit thread_local int64_t notedBytes = 0;
void passNotes() noexcept;
inline void note(int64_t sizeBytes) noexcept {
    constexpr int64_t kPortion = 256 << 10;
    notedBytes += sizeBytes;
    if (notedBytes >= kPortion || notedBytes <= -kPortion) passNotes();
}

extern std::atomic<bool> limitIsPassed;
// Returns whether small requests have passed the limit since the last checkLimit.
inline bool isPassed() {
    return limitIsPassed.load(std::memory_order_relaxed);
}
// Throws OutOfMemory when more is in use than the limit allows, not counting memory that caches can free.
void checkLimit();

// Returns how much all caches hold, and could free.
int64_t cachedBytes();
// Makes caches free about so much.
void shrinkCaches(int64_t sizeBytes);

// Registers a cache with the limit, while it lives. Both functions may be called on any thread that allocates: they
// must not wait for a lock under which a thread allocates.
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
