// Transactions over rows whose records were written and did not become durable, since a sync of the log failed.
//
// Others may have built on them: whoever has begun before the failure commits nothing more, whether or not it met one
// of these rows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/thread/mutex.h"

namespace pelorus {

// The account of them for one data folder. RowStore owns it. Thread-safe.
class WithdrawnRows {
public:
    // Returns the number of failures so far. A transaction notes it before its first look at rows.
    uint64_t failures() const { return failures_.load(std::memory_order_acquire); }
    // Notes that a transaction is withdrawn; and that it has put back its rows.
    void note() LOCKS_EXCLUDED(mutex_);
    void notePutBack() LOCKS_EXCLUDED(mutex_);

    // A time in which a transaction hands its record to the log. Throws SystemError when there was a failure since
    // `failures`.
    class Commit {
    public:
        Commit(WithdrawnRows& rows, uint64_t failures);
        ~Commit();
        Commit(const Commit&) = delete;
        Commit& operator=(const Commit&) = delete;

    private:
        WithdrawnRows& rows_;
    };
    // Waits until all withdrawn transactions have put back their rows, and nobody who has begun before hands a record
    // to the log. Called before the log begins anew.
    void awaitPutBack() LOCKS_EXCLUDED(mutex_);

private:
    std::atomic<uint64_t> failures_{0};
    SharedMutex commits_;  // orders steps: held shared by commits
    Mutex mutex_;
    CondVar changed_;
    size_t pending_ GUARDED_BY(mutex_) = 0;
};

}  // namespace pelorus
