#include "server/jobs/job_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "common/check.h"
#include "common/error.h"
#include "common/io/audit.h"
#include "common/thread/thread_priority.h"
#include "common/thread/thread_start.h"
#include "common/thread/work_arena.h"
#include "runtime/function/principal.h"
#include "runtime/function/progress.h"
#include "server/jobs/job_log.h"
#include "server/session/session_registry.h"

namespace pelorus {
namespace {

std::string timeStamp() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    std::tm local{};
    localtime_r(&seconds, &local);
    const auto micros =
        std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() % 1'000'000;
    char string[40];
    const size_t length = std::strftime(string, sizeof string, "%Y-%m-%d %H:%M:%S", &local);
    std::snprintf(string + length, sizeof string - length, ".%06d", static_cast<int>(micros));
    return string;
}

// Maximum size of the messages of one job; later messages are dropped.
constexpr size_t kMessageBytes = size_t{4} << 20;

// Returns yyyymmdd of a local time.
std::string compactDate(int64_t millis) {
    const std::time_t seconds = millis / 1000;
    std::tm date{};
    gmtime_r(&seconds, &date);
    return fmt::format("{:04}{:02}{:02}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

}  // namespace

std::string JobStatus::trouble() const {
    if (!error.empty() || droppedRows == 0) return error;
    return fmt::format("Warning: {} rows were not stored, since no partition takes them; getJobMessage tells which.",
                       droppedRows);
}

struct JobQueue::Job {
    JobStatus status;
    JobWork work;
    std::shared_ptr<Request> request;
    Progress progress;
    std::string messages;
    Value result;
};

JobQueue::JobQueue(ScriptHost& host, JobQueueOptions options) : host_(host), options_(std::move(options)) {
    try {
        for (int i = 0; i < options_.workers; ++i) workers_.push_back(startThread([this] { workerLoop(); }));
    } catch (...) {
        // Running workers must end before the failure is thrown: a thread that is not joined ends the process.
        stop();
        throw;
    }
}

JobQueue::~JobQueue() {
    stop();
}

void JobQueue::stop() {
    {
        const MutexLock lock(mutex_);
        stopping_ = true;
        for (const auto& job : jobs_) job->request->cancelled = true;
    }
    changed_.notifyAll();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
}

std::string JobQueue::freeId(const std::string& wanted) const {
    if (!find(wanted)) return wanted;
    const std::string dated = wanted + compactDate(localMillis());
    if (!find(dated)) return dated;
    for (int n = 0;; ++n) {
        std::string numbered = fmt::format("{}{:03}", dated, n);
        if (!find(numbered)) return numbered;
    }
}

std::string JobQueue::submit(JobStatus status, JobWork work) {
    CHECK(bool(work.function)) << "a job calls a function";
    auto job = std::make_shared<Job>();
    job->work = std::move(work);
    job->request = std::make_shared<Request>(host_.principalOf(status.userId));
    job->request->progress = &job->progress;
    if (options_.capsOf) {
        const JobCaps caps = options_.capsOf(status.userId);
        status.priority = std::min(status.priority, caps.priority);
        status.parallelism = std::min(status.parallelism, caps.parallelism);
    }
    status.rootJobId = newJobId();
    status.receivedMillis = localMillis();
    {
        const MutexLock lock(mutex_);
        if (waiting_ >= options_.mostWaiting) {
            throw UserError(fmt::format("{} jobs wait, the most that the queue takes.", waiting_),
                            "Submit it again when some have ended, or raise maxBatchJobWorker.");
        }
        const auto isHis = [&](const auto& known) {
            return !known->status.startedMillis && !known->status.endedMillis && known->status.userId == status.userId;
        };
        if (waiting_ >= options_.mostWaitingOfUser &&
            static_cast<size_t>(std::count_if(jobs_.begin(), jobs_.end(), isHis)) >= options_.mostWaitingOfUser) {
            throw UserError(fmt::format("{} jobs of {} wait, the most that the queue takes of one user.",
                                        options_.mostWaitingOfUser, status.userId),
                            "Submit it again when some have ended, or cancel some with cancelJob.");
        }
        status.id = freeId(status.id.empty() ? status.rootJobId : status.id);
        job->status = std::move(status);
        jobs_.push_back(job);
        byId_[job->status.id] = job;
        ++waiting_;
        forgetOld();
    }
    changed_.notifyAll();
    if (options_.log) options_.log->write(job->status, JobLog::Event::Received, "");
    return job->status.id;
}

void JobQueue::forgetOld() {
    for (auto it = jobs_.begin(); jobs_.size() - waiting_ > options_.remembered && it != jobs_.end();) {
        if ((*it)->status.endedMillis) {
            byId_.erase((*it)->status.id);
            it = jobs_.erase(it);
        } else {
            ++it;
        }
    }
}

std::shared_ptr<JobQueue::Job> JobQueue::find(const std::string& id) const {
    const auto it = byId_.find(id);
    return it == byId_.end() ? nullptr : it->second;
}

// O(number of jobs): at most those that wait and those that are remembered.
std::shared_ptr<JobQueue::Job> JobQueue::nextWaiting() {
    if (waiting_ == 0) return nullptr;
    std::map<std::string_view, int> running;
    for (const auto& job : jobs_) {
        if (job->status.startedMillis && !job->status.endedMillis) ++running[job->status.userId];
    }
    std::shared_ptr<Job> best;
    int runningOfBest = 0;
    for (const auto& job : jobs_) {
        const JobStatus& status = job->status;
        if (status.startedMillis || status.endedMillis) continue;
        const auto found = running.find(status.userId);
        const int runningOfUser = found == running.end() ? 0 : found->second;
        const bool isBetter = !best || status.priority > best->status.priority ||
                              (status.priority == best->status.priority && runningOfUser < runningOfBest);
        if (!isBetter) continue;
        best = job;
        runningOfBest = runningOfUser;
    }
    return best;
}

void JobQueue::workerLoop() {
    lowerThread(currentThreadId());
    MutexLock lock(mutex_);
    for (;;) {
        if (stopping_) return;
        std::shared_ptr<Job> job = nextWaiting();
        if (!job) {
            changed_.wait(lock);
            continue;
        }
        job->status.startedMillis = localMillis();
        --waiting_;
        lock.unlock();
        execute(*job);
        job.reset();
        lock.lock();
    }
}

void JobQueue::execute(Job& job) {
    const AuditOrigin origin(
        {.user = job.status.userId, .address = job.status.clientHost, .port = job.status.clientPort});
    WorkArena arena(job.status.parallelism);
    arena.lower();
    if (const Principal& who = job.request->principal(); !who.powers().everything && !who.isNode())
        arena.setLastingShare(LastingShare::ofUser(who.user()));
    const WorkScope work(arena);
    note(job, "Start the job [" + job.status.id + "]: " + job.status.description);
    if (options_.log) options_.log->write(job.status, JobLog::Event::Started, "");
    job.request->print = [this, &job](std::string_view string) { note(job, string); };
    std::unique_ptr<ScriptSession> session;
    std::string failure;
    try {
        // The rights of its owner as they are now, not as they were when the job was submitted.
        job.request->setPrincipal(host_.principalOf(job.status.userId));
        session = host_.newSession();
        Value result = session->apply(*job.request, *job.work.function, std::move(job.work.arguments));
        complete(job, *session, true, result);
        {
            const MutexLock lock(mutex_);
            job.result = std::move(result);
        }
        note(job, "The job is done.");
    } catch (const std::exception& error) {
        failure = *error.what() ? error.what() : "The job failed.";
        note(job, "The job failed: " + failure);
        if (session) complete(job, *session, false, Value::ofString(failure));
    }
    if (options_.log) options_.log->write(job.status, JobLog::Event::Ended, failure);
    finish(job, failure);
}

// Calls onComplete, whose errors are no errors of the job. A job that was cancelled completes too, unless the server
// stops.
void JobQueue::complete(Job& job, ScriptSession& session, bool succeeded, const Value& result) {
    if (!job.work.onComplete) return;
    {
        const MutexLock lock(mutex_);
        if (stopping_) return;
        job.request->cancelled = false;
    }
    try {
        session.apply(*job.request, *job.work.onComplete,
                      {Value::ofString(job.status.id), Value::ofString(job.status.description),
                       Value::ofBool(succeeded), result});
    } catch (const std::exception& error) {
        note(job, std::string("onComplete failed: ") + error.what());
    }
}

void JobQueue::note(Job& job, std::string_view string) {
    const MutexLock lock(mutex_);
    if (job.messages.size() > kMessageBytes) return;
    job.messages += timeStamp() + ' ' + std::string(string) + '\n';
    if (job.messages.size() > kMessageBytes) job.messages += timeStamp() + " Further messages are not kept.\n";
}

void JobQueue::finish(Job& job, const std::string& error) {
    // Released outside of the lock: what a function holds may be large.
    JobWork done;
    const MutexLock lock(mutex_);
    job.status.error = error;
    job.status.droppedRows = job.progress.droppedRows();
    job.status.endedMillis = localMillis();
    std::swap(done, job.work);
    changed_.notifyAll();
}

std::vector<JobStatus> JobQueue::recent(size_t limit) const {
    const MutexLock lock(mutex_);
    std::vector<JobStatus> list;
    for (auto it = jobs_.rbegin(); it != jobs_.rend() && (limit == 0 || list.size() < limit); ++it) {
        list.push_back((*it)->status);
    }
    return list;
}

JobStatus JobQueue::status(const std::string& id) const {
    const MutexLock lock(mutex_);
    return existing(id)->status;
}

std::shared_ptr<JobQueue::Job> JobQueue::existing(const std::string& id) const {
    auto job = find(id);
    if (!job) throw UserError(0, "The job [" + id + "] does not exist.", "getRecentJobs() lists the jobs.");
    return job;
}

std::string JobQueue::messages(const std::string& id) const {
    const MutexLock lock(mutex_);
    return existing(id)->messages;
}

Value JobQueue::result(const std::string& id, bool blocking, const Context& context) const {
    MutexLock lock(mutex_);
    const auto job = existing(id);  // held: it may be forgotten while we wait
    while (!job->status.endedMillis) {
        if (!blocking) throw UserError(0, "The job [" + id + "] is not complete yet.");
        changed_.waitFor(lock, std::chrono::milliseconds(100));
        context.checkCancelled();
    }
    if (!job->status.error.empty()) throw UserError("The job [" + id + "] failed: " + job->status.error);
    return job->result;
}

bool JobQueue::cancel(const std::string& id) {
    std::shared_ptr<Job> job;
    {
        const MutexLock lock(mutex_);
        job = find(id);
        if (!job || job->status.endedMillis) return false;
        job->request->cancelled = true;
        if (job->status.startedMillis) return true;
        job->status.startedMillis = localMillis();  // no worker takes it any more
        --waiting_;
    }
    note(*job, "The job was cancelled before it started.");
    if (options_.log) options_.log->write(job->status, JobLog::Event::Ended, "The job was cancelled.");
    finish(*job, "The job was cancelled.");
    return true;
}

}  // namespace pelorus
