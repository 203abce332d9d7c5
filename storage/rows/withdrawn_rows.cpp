#include "storage/rows/withdrawn_rows.h"

#include "common/check.h"
#include "common/error.h"

namespace pelorus {

void WithdrawnRows::note() {
    const MutexLock lock(mutex_);
    failures_.fetch_add(1, std::memory_order_release);
    ++pending_;
}

void WithdrawnRows::notePutBack() {
    {
        const MutexLock lock(mutex_);
        CHECK(pending_ > 0) << "a withdrawn transaction is put back once";
        --pending_;
    }
    changed_.notifyAll();
}

WithdrawnRows::Commit::Commit(WithdrawnRows& rows, uint64_t failures) NO_THREAD_SAFETY_ANALYSIS : rows_(rows) {
    rows_.commits_.lock_shared();
    if (rows_.failures() == failures) return;
    rows_.commits_.unlock_shared();
    throw SystemError(
        "The log failed during the transaction, which may have read rows that were lost. Nothing was written.",
        "Begin the transaction anew.", true);
}

WithdrawnRows::Commit::~Commit() NO_THREAD_SAFETY_ANALYSIS {
    rows_.commits_.unlock_shared();
}

void WithdrawnRows::awaitPutBack() {
    {
        MutexLock lock(mutex_);
        while (pending_ > 0) changed_.wait(lock);
    }
    const WriterLock none(commits_);
}

}  // namespace pelorus
