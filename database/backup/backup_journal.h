// Journal of the backups and restores of this process; the newest are remembered. Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "common/time/local_clock.h"

namespace pelorus {

struct BackupTask {
    std::string userId;
    std::string type;  // as in "BACKUP_BY_SQL"
    std::string database;
    std::string table;
    int64_t startedMillis = 0;
    int64_t endedMillis = 0;  // 0: not yet
    int64_t total = 0;        // partitions
    int64_t completed = 0;
};

class BackupJournal {
public:
    // Reports one task; its end when it is destroyed.
    class Entry {
    public:
        Entry(BackupJournal* journal, BackupTask task) : journal_(journal) {
            if (journal_) number_ = journal_->begin(std::move(task));
        }
        ~Entry() {
            if (journal_) journal_->update(number_, [](BackupTask& task) { task.endedMillis = localMillis(); });
        }
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;
        void completeOne() {
            if (journal_) journal_->update(number_, [](BackupTask& task) { ++task.completed; });
        }

    private:
        BackupJournal* const journal_;
        uint64_t number_ = 0;
    };

    // Newest first.
    std::vector<BackupTask> tasks() const {
        const MutexLock guard(mutex_);
        return {tasks_.rbegin(), tasks_.rend()};
    }

private:
    static constexpr size_t kRemembered = 1000;

    uint64_t begin(BackupTask task) {
        const MutexLock guard(mutex_);
        task.startedMillis = localMillis();
        tasks_.push_back(std::move(task));
        if (tasks_.size() > kRemembered) {
            tasks_.pop_front();
            ++forgotten_;
        }
        return forgotten_ + tasks_.size() - 1;
    }
    template <class Change>
    void update(uint64_t number, Change change) {
        const MutexLock guard(mutex_);
        if (number >= forgotten_) change(tasks_[number - forgotten_]);
    }

    mutable Mutex mutex_;
    std::deque<BackupTask> tasks_ GUARDED_BY(mutex_);
    uint64_t forgotten_ GUARDED_BY(mutex_) = 0;
};

}  // namespace pelorus
