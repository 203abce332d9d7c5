// The advisory locks that a session holds beyond its transactions.
#pragma once

#include <utility>
#include <vector>

#include "runtime/append/table_transaction.h"
#include "storage/lock/lock_table.h"

namespace pelorus {

// The advisory locks of one session. Used by one thread at a time; the table outlives it.
class StoredSessionLocks final : public SessionLocks {
public:
    StoredSessionLocks(LockTable& locks, uint64_t session) : locks_(locks), owner_(locks, session) {}

    bool lock(const AdvisoryLock& lock, const TransactionSettings& settings) override;
    bool unlock(const AdvisoryLock& lock) override;
    void unlockAll() override;

private:
    // A lock, and how often it was taken.
    struct Taken {
        LockKey key;
        LockMode mode;
        size_t count;
    };
    Taken* find(const AdvisoryLock& lock);

    LockTable& locks_;
    LockOwner owner_;
    std::vector<Taken> taken_;
};

}  // namespace pelorus
