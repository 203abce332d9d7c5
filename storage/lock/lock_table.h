// The locks that transactions hold until their end: of rows, of tables, of numbers that clients agree on, and of the
// transactions themselves, whose end others wait for.
//
// A lock is granted when it excludes none that others hold, nor one that waits before it: first come, first served.
// Readers of rows take none. Who waits is woken by the grant, and looks itself whether it was cancelled, has waited too
// long, or was chosen to end a deadlock.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/thread/mutex.h"
#include "storage/lock/lock_modes.h"

namespace pelorus {

// What a lock is of.
struct LockKey {
    enum class Kind : uint8_t {
        Row,          // table, row id
        Table,        // table
        Transaction,  // tag; held by the transaction itself
        Advisory,     // space and number of clients
    };
    Kind kind = Kind::Row;
    uint64_t first = 0;
    uint64_t second = 0;
    friend bool operator==(const LockKey&, const LockKey&) = default;
};

class LockTable;

// Who holds locks: a transaction, or a session. One thread uses it at a time; it must outlive its locks. Owners of one
// session exclude each other from nothing.
class LockOwner {
public:
    // `session` 0: it belongs to no session.
    LockOwner(LockTable& table, uint64_t session);
    ~LockOwner();
    LockOwner(const LockOwner&) = delete;
    LockOwner& operator=(const LockOwner&) = delete;

    // Returns the number of locks taken so far; `releaseFrom` takes back those behind it.
    size_t lockCount() const { return held_.size(); }

private:
    friend class LockTable;
    struct Held {
        LockKey key;
        LockMode mode;
    };
    LockTable& table_;
    const uint64_t age_;      // later owners have larger ones
    const uint64_t session_;  // unique where there is none
    std::atomic<bool> isVictim_{false};
    std::vector<Held> held_;  // in the order in which they were taken
};

// How long a lock is waited for.
struct LockWait {
    bool waits = true;
    std::chrono::milliseconds timeout{0};  // 0: no limit, but 30 seconds where nobody can cancel the caller
};

enum class LockResult : uint8_t {
    Granted,
    Unavailable,  // somebody has it, and the caller does not wait
    TimedOut,
    Deadlock,  // the caller was chosen to end
    Look,      // the holder has changed something: look whether the lock is still needed
};

// The locks of a data folder. RowStore owns it. Thread-safe.
class LockTable {
public:
    LockTable();
    ~LockTable();

    // Takes a lock, or adds a mode to one that the owner has. Throws UserError when the running request is cancelled.
    // The owner of a deadlock's youngest transaction is told Deadlock 50 ms after it came about, unless the deadlock
    // ends when waiters pass others that only came before them.
    LockResult acquire(LockOwner& owner, const LockKey& key, LockMode mode, const LockWait& wait = {});
    // Returns whether the owner's session, or the owner, holds a lock of the key.
    bool isHeldBy(const LockOwner& owner, const LockKey& key) const;
    // Releases the last lock of this key and mode, and returns whether there was one.
    bool release(LockOwner& owner, const LockKey& key, LockMode mode);
    // Releases all locks but the first `count`.
    void releaseFrom(LockOwner& owner, size_t count);
    // Lets all who wait for the key look again.
    void wakeAll(const LockKey& key);
    // Returns the number of those that wait.
    size_t waiting() const;

    static constexpr std::chrono::milliseconds kDeadlockAfter{50};

private:
    friend class LockOwner;
    class Circles;
    struct Waiter;
    struct Lock;
    struct Shard;
    struct KeyHash {
        size_t operator()(const LockKey& key) const;
    };
    static constexpr size_t kShards = 64;

    Shard& shardOf(const LockKey& key) const;
    LockResult await(Shard& shard, LockOwner& owner, const LockKey& key, Waiter& waiter, const LockWait& wait);
    void resolveDeadlock(const LockOwner& owner);

    std::atomic<uint64_t> owners_{0};
    std::unique_ptr<std::array<Shard, kShards>> shards_;
};

}  // namespace pelorus
