// BackupJournal records the backups and restores of this process; it keeps the newest 1000. A service of the process;
// thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "common/time/local_clock.h"

namespace pelorus {

// One backup or restore, as getBackupStatus shows it. Times are local milliseconds since 1970.
struct BackupTask {
    std::string userId;
    std::string type;  // the kind of task, for example "BACKUP_BY_SQL"
    std::string database;
    std::string table;
    int64_t startedMillis = 0;
    int64_t endedMillis = 0;  // 0: the task runs
    int64_t total = 0;        // number of partitions
    int64_t completed = 0;
};

// The list of tasks. An Entry adds one and updates it.
class BackupJournal {
public:
    // Scope of one task: records its beginning, its progress, and in the destructor its end. The journal may be null.
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
        // Counts a partition that is done.
        void completeOne() {
            if (journal_) journal_->update(number_, [](BackupTask& task) { ++task.completed; });
        }

    private:
        BackupJournal* const journal_;
        uint64_t number_ = 0;
    };

    // Returns the tasks, the newest first.
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
