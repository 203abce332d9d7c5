#include "storage/commit/stored_session_locks.h"

#include "storage/commit/stored_transaction.h"

namespace pelorus {

StoredSessionLocks::Taken* StoredSessionLocks::find(const AdvisoryLock& lock) {
    for (Taken& taken : taken_) {
        if (taken.key == keyOf(lock) && taken.mode == modeOf(lock)) return &taken;
    }
    return nullptr;
}

bool StoredSessionLocks::lock(const AdvisoryLock& lock, const TransactionSettings& settings) {
    if (Taken* const taken = find(lock)) {
        ++taken->count;
        return true;
    }
    LockResult result;
    do {
        result =
            locks_.acquire(owner_, keyOf(lock), modeOf(lock), {.waits = lock.waits, .timeout = settings.lockTimeout});
        refuseLock(result);
    } while (result == LockResult::Look);
    if (result != LockResult::Granted) return false;
    taken_.push_back({keyOf(lock), modeOf(lock), 1});
    return true;
}

bool StoredSessionLocks::unlock(const AdvisoryLock& lock) {
    Taken* const taken = find(lock);
    if (taken == nullptr) return false;
    if (--taken->count > 0) return true;
    locks_.release(owner_, taken->key, taken->mode);
    taken_.erase(taken_.begin() + (taken - taken_.data()));
    return true;
}

void StoredSessionLocks::unlockAll() {
    locks_.releaseFrom(owner_, 0);
    taken_.clear();
}

}  // namespace pelorus
