// Batch jobs: functions that run in the background, outside of any client's session.
//
// Higher priority first, equals in order of arrival; at most `workers` at once. The newest jobs are remembered with
// their messages and results. Thread-safe.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "server/session/script_host.h"

namespace pelorus {

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
};

class JobQueue {
public:
    JobQueue(ScriptHost& host, int workers, size_t remembered = 2048);
    // Stops.
    ~JobQueue();

    // Cancels running jobs and waits for them; queued ones never run.
    void stop();

    // Queues the job and returns its id: the one asked for, with a number appended when that is taken.
    std::string submit(JobStatus job, Ref<Function> function, std::vector<Value> arguments);

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
    void execute(Job& job);
    void note(Job& job, std::string_view text);
    void finish(Job& job, const std::string& error);
    void forgetOld() EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    ScriptHost& host_;
    const size_t remembered_;
    mutable Mutex mutex_;  // also guards the status, messages and result of each job
    mutable CondVar changed_;
    std::deque<std::shared_ptr<Job>> jobs_ GUARDED_BY(mutex_);  // oldest first
    bool stopping_ GUARDED_BY(mutex_) = false;
    std::vector<std::thread> workers_;
};

}  // namespace pelorus
