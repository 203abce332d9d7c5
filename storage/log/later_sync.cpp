#include "storage/log/later_sync.h"

#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "storage/log/wal_writer.h"

namespace pelorus {

LaterSync::~LaterSync() {
    std::thread thread;
    {
        const MutexLock lock(mutex_);
        isEnding_ = true;
        thread = std::move(thread_);
    }
    changed_.notifyAll();
    if (thread.joinable()) thread.join();
}

void LaterSync::note() {
    const MutexLock lock(mutex_);
    if (isDue_ || isEnding_) return;
    isDue_ = true;
    if (!thread_.joinable()) thread_ = startThread([this] { run(); });
    changed_.notifyAll();
}

void LaterSync::run() {
    for (;;) {
        {
            MutexLock lock(mutex_);
            while (!isEnding_ && !isDue_) changed_.wait(lock);
            const auto begin = std::chrono::steady_clock::now() + kDelay;
            while (!isEnding_ && changed_.waitUntil(lock, begin)) {
            }
            if (isEnding_) return;  // the writer syncs when it ends
            isDue_ = false;         // what is written from here on is noted again
        }
        try {
            log_->sync();
        } catch (const Error& error) {
            logWarning("storage", "commits that did not wait for the disk are not on it", {{"error", error.what()}});
        }
    }
}

}  // namespace pelorus
