// Locks the chunks of one data folder for commits.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "common/error.h"
#include "common/thread/mutex.h"

namespace pelorus {

// An error of a caller that has waited for a chunk, which another transaction held, for as long as it may. Retryable.
class ChunkIsBusy : public SystemError {
public:
    ChunkIsBusy();
};

// A table of the locks of chunks, by their ids: a lock is shared by any number of appends, prepared ones until they are
// decided, or exclusive for one change. Callers get their turn in the order in which they came, so that a change gets
// through a stream of appends. StorageParts owns it; CommitPath and PreparedCommits take its locks. Thread-safe; no
// mutex of it is held while a caller writes to the log.
class ChunkLocks {
public:
    // `isLogSound` says whether a wait can end: once the log refuses writes, no decision frees a chunk.
    explicit ChunkLocks(std::function<bool()> isLogSound) : isLogSound_(std::move(isLogSound)) {}

    // A hold of several chunks, all or none, until the end of its life.
    class Hold {
    public:
        static constexpr std::chrono::milliseconds kTimeout = std::chrono::seconds(30);

        // `chunks` ascend. Waits for its turn. Throws ChunkIsBusy after `timeout`, or as soon as the log
        // refuses writes, holding nothing.
        Hold(ChunkLocks& locks, std::vector<uint64_t> chunks, bool exclusive,
             std::chrono::milliseconds timeout = kTimeout);
        ~Hold();
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;

        // Makes an exclusive hold a shared one: from now on others may append to its chunks.
        void share();
        // Keeps these of the chunks, which ascend, locked until `unlock`, and frees the others now.
        void keep(const std::vector<uint64_t>& chunks);

    private:
        ChunkLocks& locks_;
        const std::vector<uint64_t> chunks_;
        bool exclusive_;
        bool isKept_ = false;
    };

    // Frees chunks that a hold has kept, or `lockRecovered` has locked.
    void unlock(const std::vector<uint64_t>& chunks, bool exclusive) LOCKS_EXCLUDED(mutex_);
    // Locks the chunks of a prepared transaction that recovery has found. REQUIRES: nobody holds them otherwise.
    void lockRecovered(const std::vector<uint64_t>& chunks, bool exclusive) LOCKS_EXCLUDED(mutex_);
    // Returns whether a change holds the chunk.
    bool isChanging(uint64_t chunk) const LOCKS_EXCLUDED(mutex_);
    // Returns whether anybody holds the chunk or waits for it.
    bool isLocked(uint64_t chunk) const LOCKS_EXCLUDED(mutex_);

private:
    // The state of a chunk's lock.
    struct Lock {
        int appends = 0;
        bool isChanging = false;
        std::map<uint64_t, bool> waiting;  // by turn, whether it wants the chunk exclusively
        bool isAtRest() const { return appends == 0 && !isChanging && waiting.empty(); }
    };

    void lock(const std::vector<uint64_t>& chunks, bool exclusive, std::chrono::milliseconds timeout)
        LOCKS_EXCLUDED(mutex_);
    void share(const std::vector<uint64_t>& chunks) LOCKS_EXCLUDED(mutex_);
    bool isFree(const std::vector<uint64_t>& chunks, bool exclusive, uint64_t turn) const
        EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    const std::function<bool()> isLogSound_;
    mutable Mutex mutex_;
    CondVar changed_;
    std::map<uint64_t, Lock> locks_ GUARDED_BY(mutex_);  // by chunk; those at rest are removed
    uint64_t lastTurn_ GUARDED_BY(mutex_) = 0;
};

}  // namespace pelorus
