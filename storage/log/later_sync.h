// LaterSync syncs the log a moment after commits that did not wait for it.
#pragma once

#include <chrono>
#include <memory>
#include <thread>

#include "common/thread/mutex.h"

namespace pelorus {

class WalWriter;

// The syncs of one log for commits of sessions that do not wait for the disk: one for all of a tenth of a second, on a
// thread that the first of them begins. StorageParts owns it, and ends it before the log. Thread-safe.
class LaterSync {
public:
    // A sync begins at most so long after a commit, unless the one before it takes longer.
    static constexpr std::chrono::milliseconds kDelay{100};

    // `log` has a writer whenever `note` is called.
    explicit LaterSync(const std::unique_ptr<WalWriter>& log) : log_(log) {}
    ~LaterSync();
    LaterSync(const LaterSync&) = delete;
    LaterSync& operator=(const LaterSync&) = delete;

    // Notes that a record was written that is not synced. What a failed sync leaves undone is done when the log begins
    // anew, with all that is installed.
    void note() LOCKS_EXCLUDED(mutex_);

private:
    void run() LOCKS_EXCLUDED(mutex_);

    const std::unique_ptr<WalWriter>& log_;
    Mutex mutex_;
    CondVar changed_;
    bool isDue_ GUARDED_BY(mutex_) = false;
    bool isEnding_ GUARDED_BY(mutex_) = false;
    std::thread thread_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
