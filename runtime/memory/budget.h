// Memory budget: how much memory the process may take, and how much it takes now, by the buffers of vectors and all
// that `new` allocates (heap.cpp).
//
// Thread-safe. A request of kLargeBytes and more is refused before it would pass the limit. Smaller ones are counted,
// and when they pass the limit the next check for cancellation (Context::checkCancelled) ends its request. Work that
// does not come to a check is refused its small pieces, too, once they are a sixteenth beyond the limit: those of
// threads that work for a request, unless what they do must not be left half done (Unrefused). Before anything is
// refused, caches free the memory they hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>

#include "common/error.h"

namespace pelorus::memory {

// An error of an allocation that does not fit the limit; the request itself is valid.
class OutOfMemory : public SystemError {
public:
    using SystemError::SystemError;
};

// A scope in which the thread's small pieces are not refused: for what must end as it began, such as the publication of
// rows that the log has already, or the answer to a request that got no memory. Large pieces are refused all the same,
// and end a request that was cancelled, unless the scope is for all: such as one that undoes what was done.
class Unrefused {
public:
    enum class Pieces { Small, All };
    explicit Unrefused(Pieces pieces = Pieces::Small) : ofAll_(pieces == Pieces::All ? 1 : 0) {
        ++depth;
        depthOfAll += ofAll_;
    }
    ~Unrefused() {
        --depth;
        depthOfAll -= ofAll_;
    }
    Unrefused(const Unrefused&) = delete;
    Unrefused& operator=(const Unrefused&) = delete;

    static bool holds() { return depth > 0; }
    static bool holdsAll() { return depthOfAll > 0; }

private:
    const int ofAll_;
    static inline constinit thread_local int depth = 0, depthOfAll = 0;
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
constexpr int64_t kNotedPortion = 256 << 10;
inline constinit thread_local int64_t notedBytes = 0;
void passNotes() noexcept;
inline void note(int64_t sizeBytes) noexcept {
    notedBytes += sizeBytes;
    if (notedBytes >= kNotedPortion || notedBytes <= -kNotedPortion) passNotes();
}

// Asks for a small piece, before it is allocated and noted. Throws OutOfMemory as the file's comment says. Costs an
// addition but for each 256 KiB that the thread takes.
void refuseBeyondLimit(int64_t sizeBytes);
inline void askForSmall(int64_t sizeBytes) {
    if (notedBytes + sizeBytes >= kNotedPortion) refuseBeyondLimit(sizeBytes);
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

// A registration of a cache with the limit, while it lives. Both functions may be called on any thread that allocates:
// they must not wait for a lock under which a thread allocates.
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
