#include "server/jobs/job_queue.h"

#include <algorithm>
#include <chrono>

#include "common/audit.h"
#include "common/check.h"
#include "common/error.h"
#include "common/thread/thread_start.h"
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
    char text[40];
    const size_t length = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
    std::snprintf(text + length, sizeof text - length, ".%06d", static_cast<int>(micros));
    return text;
}

}  // namespace

struct JobQueue::Job {
    JobStatus status;
    Ref<Function> function;
    std::vector<Value> arguments;
    std::shared_ptr<Request> request;
    std::string messages;
    Value result;
};

JobQueue::JobQueue(ScriptHost& host, int workers, size_t remembered) : host_(host), remembered_(remembered) {
    try {
        for (int i = 0; i < workers; ++i) workers_.push_back(startThread([this] { workerLoop(); }));
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

std::string JobQueue::submit(JobStatus status, Ref<Function> function, std::vector<Value> arguments) {
    CHECK(bool(function)) << "a job calls a function";
    auto job = std::make_shared<Job>();
    job->function = std::move(function);
    job->arguments = std::move(arguments);
    job->request = std::make_shared<Request>(host_.principalOf(status.userId));
    status.rootJobId = newJobId();
    status.receivedMillis = localMillis();
    const MutexLock lock(mutex_);
    const std::string wanted = status.id.empty() ? status.rootJobId : status.id;
    status.id = wanted;
    for (int n = 1; find(status.id); ++n) status.id = wanted + '_' + std::to_string(n);
    job->status = std::move(status);
    jobs_.push_back(job);
    forgetOld();
    changed_.notifyAll();
    return job->status.id;
}

void JobQueue::forgetOld() {
    for (auto it = jobs_.begin(); jobs_.size() > remembered_ && it != jobs_.end();) {
        it = (*it)->status.endedMillis ? jobs_.erase(it) : it + 1;
    }
}

std::shared_ptr<JobQueue::Job> JobQueue::find(const std::string& id) const {
    const auto it = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) { return job->status.id == id; });
    return it == jobs_.end() ? nullptr : *it;
}

std::shared_ptr<JobQueue::Job> JobQueue::nextWaiting() {
    std::shared_ptr<Job> best;
    for (const auto& job : jobs_) {
        const JobStatus& status = job->status;
        if (status.startedMillis || status.endedMillis) continue;
        if (!best || status.priority > best->status.priority) best = job;
    }
    return best;
}

void JobQueue::workerLoop() {
    MutexLock lock(mutex_);
    for (;;) {
        if (stopping_) return;
        std::shared_ptr<Job> job = nextWaiting();
        if (!job) {
            changed_.wait(lock);
            continue;
        }
        job->status.startedMillis = localMillis();
        lock.unlock();
        execute(*job);
        lock.lock();
    }
}

void JobQueue::execute(Job& job) {
    const AuditOrigin origin(
        {.user = job.status.userId, .address = job.status.clientHost, .port = job.status.clientPort});
    note(job, "Start the job [" + job.status.id + "]: " + job.status.description);
    job.request->print = [this, &job](std::string_view text) { note(job, text); };
    try {
        // The rights of its owner as they are now, not as they were when the job was submitted.
        job.request->setPrincipal(host_.principalOf(job.status.userId));
        const auto session = host_.newSession();
        Value result = session->apply(*job.request, *job.function, std::move(job.arguments));
        {
            const MutexLock lock(mutex_);
            job.result = std::move(result);
        }
        note(job, "The job is done.");
        finish(job, "");
    } catch (const std::exception& error) {
        note(job, std::string("The job failed: ") + error.what());
        finish(job, error.what());
    }
}

void JobQueue::note(Job& job, std::string_view text) {
    const MutexLock lock(mutex_);
    job.messages += timeStamp() + ' ' + std::string(text) + '\n';
}

void JobQueue::finish(Job& job, const std::string& error) {
    const MutexLock lock(mutex_);
    job.status.error = error;
    job.status.endedMillis = localMillis();
    job.function = nullptr;
    job.arguments.clear();
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
    }
    note(*job, "The job was cancelled before it started.");
    finish(*job, "The job was cancelled.");
    return true;
}

}  // namespace pelorus
