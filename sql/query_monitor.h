// The queries that run now, and the last ones over stored tables that have ended. A service of a server; a process
// without one monitors nothing.
//
// Thread-safe. A query costs two locks for a moment; its source text is made when somebody asks, or when it ends and
// has read a stored table.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/function/context.h"

namespace pelorus {

struct Query;
class WorkArena;

// Of a query that runs, for the monitor alone.
struct RunningQuery {
    const Query* query;
    const Request* request;
    int64_t number;
    std::string user;
    int64_t startNanos;
    const WorkArena* arena;  // of its threads; null: none
    int64_t bytesBefore;     // that the arena held when it began
};

struct MonitoredQuery {
    int64_t number = 0;  // of all queries since the start
    std::string user;
    int64_t sessionId = 0;   // 0: of a batch job
    int64_t startNanos = 0;  // local
    int64_t endNanos = 0;    // 0: runs
    std::string source;      // cut to kMaxSourceBytes
    std::string error;
    int64_t tasks = 0, finishedTasks = 0;  // of a running one; 0: unknown
    int64_t memoryBytes = -1;              // that a running one holds now, about; -1: unknown
};

class QueryMonitor {
public:
    static constexpr size_t kMaxSourceBytes = 2000;
    static constexpr size_t kRemembered = 1000;

    void enable(bool isEnabled) { isEnabled_.store(isEnabled, std::memory_order_relaxed); }
    bool isEnabled() const { return isEnabled_.load(std::memory_order_relaxed); }

    // Returns those that run, oldest first.
    std::vector<MonitoredQuery> running() const;
    // Returns at most `limit` that have ended, newest first.
    std::vector<MonitoredQuery> completed(size_t limit) const;
    // Returns how long the last `limit` took, in nanoseconds, newest first.
    std::vector<int64_t> durations(size_t limit) const;

    // Returns how long a running query has run.
    static int64_t nanosSince(const MonitoredQuery& query);

    // Scope of one query that is not part of another one.
    class Run {
    public:
        // Monitors nothing where the process has no monitor, or it is not enabled.
        Run(const Query& query, const Context& context);
        ~Run();
        Run(const Run&) = delete;
        Run& operator=(const Run&) = delete;

        // The query has ended and, if `readsStored`, is remembered.
        void ended(bool readsStored, std::string error = "");

    private:
        QueryMonitor* monitor_;
        std::list<RunningQuery>::iterator entry_;
    };

private:
    mutable Mutex mutex_;
    std::list<RunningQuery> running_ GUARDED_BY(mutex_);
    std::deque<MonitoredQuery> completed_ GUARDED_BY(mutex_);  // oldest first
    int64_t count_ GUARDED_BY(mutex_) = 0;
    std::atomic<bool> isEnabled_{true};
};

}  // namespace pelorus
