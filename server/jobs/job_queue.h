// JobQueue runs batch jobs: functions that run in the background, outside of any client's session.
//
// The job of the highest priority is first; among equals that of the user with the fewest running jobs, then the
// oldest. At most `workers` run at once, on threads of lowered priority: they give way to requests of clients. The
// newest jobs are kept with their messages and results. Jobs do not survive the process. Thread-safe.
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

// The state of a job, as getRecentJobs shows it. Times are local milliseconds since 1970.
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
    int64_t startedMillis = 0;  // 0: the job waits
    int64_t endedMillis = 0;    // 0: the job waits or runs
    std::string error;
    int64_t droppedRows = 0;  // rows that appends of the job did not store, since no partition takes them

    // Returns the error of the job, or a warning of rows that were not stored; empty when nothing is wrong.
    std::string trouble() const;
};

// The function that a job calls, and the one that is called when it has ended, onComplete(jobId, jobDesc, success,
// result or error). Without the latter `onComplete` is null.
struct JobWork {
    Ref<Function> function;
    std::vector<Value> arguments = {};
    Ref<Function> onComplete = {};
    std::shared_ptr<const void> owner = {};  // owner of the functions, kept until the job has ended; may be null
};

// The highest priority and parallelism of a user's jobs; higher ones are lowered to these.
struct JobCaps {
    int priority = 9;
    int parallelism = 64;
};

struct JobQueueOptions {
    int workers = 4;
    size_t remembered = 2048;
    size_t mostWaiting = 10'000;
    size_t mostWaitingOfUser = 2'500;  // less than mostWaiting: one user cannot keep others' jobs out
    std::function<JobCaps(const std::string& user)> capsOf = {};  // empty: the default for all
    std::shared_ptr<JobLog> log = {};                             // null: no log is written
};

// The queue of a node, a service of the process. A job runs with the rights that its user has when it starts.
class JobQueue {
public:
    // Starts the workers. `host` outlives the queue. Throws SystemError when a thread cannot be started.
    JobQueue(ScriptHost& host, JobQueueOptions options);
    // Calls `stop`.
    ~JobQueue();

    // Cancels running jobs and waits for their end; queued ones never run, nor do those that
    // are submitted later: who waits for one of these waits until their own request is cancelled.
    void stop();

    // Queues the job and returns its id: `job.id`, or a UUID when that is empty; when the id is taken, with the date
    // and a number appended, as in nightly, nightly20260401, nightly20260401000. Throws UserError when too many jobs
    // wait, or the user does not exist.
    std::string submit(JobStatus job, JobWork work);

    // Returns the newest jobs first, at most `limit` (0: all).
    std::vector<JobStatus> recent(size_t limit) const;
    // The next three throw UserError when there is no such job.
    JobStatus status(const std::string& id) const;
    // Returns the lines that the job printed and its beginning and end, each with its time; at most 4 MiB.
    std::string messages(const std::string& id) const;
    // Returns the job's value. Waits for its end when `blocking`, as long as the caller's request is not cancelled.
    // Throws UserError when the job failed, or when it has not ended and `blocking` is false.
    Value result(const std::string& id, bool blocking, const Context& context) const;

    // Cancels the job; a queued one ends at once. Returns false when there is no such job or it has ended.
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
    mutable Mutex mutex_;  // also guards status, messages and result of each job
    mutable CondVar changed_;
    std::deque<std::shared_ptr<Job>> jobs_ GUARDED_BY(mutex_);  // oldest first
    std::unordered_map<std::string, std::shared_ptr<Job>> byId_ GUARDED_BY(mutex_);
    size_t waiting_ GUARDED_BY(mutex_) = 0;
    bool stopping_ GUARDED_BY(mutex_) = false;
    std::vector<std::thread> workers_;
};

}  // namespace pelorus
