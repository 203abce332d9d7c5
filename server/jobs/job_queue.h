// Batch jobs: functions that run in the background, outside of any client's session.
//
// The job of the highest priority is first; among equals that of the user with the fewest running jobs, then the
// oldest. At most `workers` run at once, on lowered threads: they give way to requests of clients. The newest jobs are
// remembered with their messages and results. Thread-safe.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "server/session/script_host.h"

namespace pelorus {

class JobLog;

struct JobStatus {
    std::string id;
    std::string rootJobId;
    std::string description;
    std::string userId;
    std::string clientHost;
    int clientPort = 0;
    int priority = 4;
    int parallelism = 2;
    int64_t receivedMillis = 0;
    int64_t startedMillis = 0;  // 0: waits
    int64_t endedMillis = 0;    // 0: not yet
    std::string error;
    int64_t droppedRows = 0;  // that appends of the job did not store, since no partition takes them

    // Returns what is wrong with the job: its error, or a warning of rows that were not stored; empty when nothing is.
    std::string trouble() const;
};

// What a job calls, and what is called once it has ended: onComplete(jobId, jobDesc, success, result or error).
struct JobWork {
    Ref<Function> function;
    std::vector<Value> arguments = {};
    Ref<Function> onComplete = {};
    std::shared_ptr<const void> owner = {};  // of the functions, kept until the job has ended; may be null
};

// Highest priority and parallelism of a user's jobs.
struct JobCaps {
    int priority = 9;
    int parallelism = 64;
};

struct JobQueueOptions {
    int workers = 4;
    size_t remembered = 2048;
    size_t mostWaiting = 10'000;
    size_t mostWaitingOfUser = 2'500;  // so that one user's jobs do not keep out those of others, schedules included
    std::function<JobCaps(const std::string& user)> capsOf = {};  // empty: the default for all
    std::shared_ptr<JobLog> log = {};                             // null: none is kept
};

class JobQueue {
public:
    JobQueue(ScriptHost& host, JobQueueOptions options);
    // Stops.
    ~JobQueue();

    // Cancels running jobs and waits for them; queued ones never run.
    void stop();

    // Queues the job and returns its id: the one asked for; when that is taken, with the date and a number appended, as
    // in nightly, nightly20260401, nightly20260401000. Throws UserError when too many jobs wait, or the user is gone.
    std::string submit(JobStatus job, JobWork work);

    // Returns the newest first, at most `limit` (0: all).
    std::vector<JobStatus> recent(size_t limit) const;
    // These throw UserError when there is no such job.
    JobStatus status(const std::string& id) const;
    std::string messages(const std::string& id) const;
    // Returns the job's value; throws UserError when it failed, or when it is not complete and `blocking` is false.
    Value result(const std::string& id, bool blocking, const Context& context) const;

    // Asks the job to stop; a queued one ends at once. False when there is none or it has ended.
    bool cancel(const std::string& id);

private:
    struct Job;
    std::shared_ptr<Job> find(const std::string& id) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    std::shared_ptr<Job> existing(const std::string& id) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void workerLoop();
    std::shared_ptr<Job> nextWaiting() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    std::string freeId(const std::string& wanted) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void execute(Job& job);
    void complete(Job& job, ScriptSession& session, bool succeeded, const Value& result);
    void note(Job& job, std::string_view string);
    void finish(Job& job, const std::string& error);
    void forgetOld() EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    ScriptHost& host_;
    const JobQueueOptions options_;
    mutable Mutex mutex_;  // also guards the status, messages and result of each job
    mutable CondVar changed_;
    std::deque<std::shared_ptr<Job>> jobs_ GUARDED_BY(mutex_);  // oldest first
    std::unordered_map<std::string, std::shared_ptr<Job>> byId_ GUARDED_BY(mutex_);
    size_t waiting_ GUARDED_BY(mutex_) = 0;
    bool stopping_ GUARDED_BY(mutex_) = false;
    std::vector<std::thread> workers_;
};

}  // namespace pelorus
