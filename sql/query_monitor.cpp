#include "sql/query_monitor.h"

#include <algorithm>
#include <utility>

#include "common/hide_secrets.h"
#include "common/thread/work_arena.h"
#include "common/time/local_clock.h"
#include "runtime/code/query.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "runtime/function/progress.h"

namespace pelorus {
namespace {

std::string shownSource(const Query& query) {
    return hideSecretsInBeginning(toSource(query), QueryMonitor::kMaxSourceBytes);
}

}  // namespace

QueryMonitor::Run::Run(const Query& query, const Context& context) : monitor_(context.service<QueryMonitor>()) {
    if (monitor_ && !monitor_->isEnabled()) monitor_ = nullptr;
    if (!monitor_) return;
    const WorkArena* arena = WorkArena::ofThread();
    RunningQuery running{
        &query, context.request, 0, context.principal().user(), localNanos(), arena, arena ? arena->heldBytes() : 0};
    const MutexLock lock(monitor_->mutex_);
    running.number = ++monitor_->count_;
    entry_ = monitor_->running_.insert(monitor_->running_.end(), std::move(running));
}

QueryMonitor::Run::~Run() {
    if (monitor_) ended(false);
}

void QueryMonitor::Run::ended(bool readsStored, std::string error) {
    if (!monitor_) return;
    QueryMonitor& monitor = *std::exchange(monitor_, nullptr);
    MonitoredQuery done;
    if (readsStored) {
        // Outside of the lock: long sources take their time. Nobody but this thread changes the entry.
        done = {.number = entry_->number,
                .user = entry_->user,
                .sessionId = entry_->request->sessionId,
                .startNanos = entry_->startNanos,
                .endNanos = localNanos(),
                .source = shownSource(*entry_->query),
                .error = std::move(error)};
    }
    const MutexLock lock(monitor.mutex_);
    monitor.running_.erase(entry_);
    if (!readsStored) return;
    monitor.completed_.push_back(std::move(done));
    if (monitor.completed_.size() > kRemembered) monitor.completed_.pop_front();
}

std::vector<MonitoredQuery> QueryMonitor::running() const {
    std::vector<MonitoredQuery> list;
    const MutexLock lock(mutex_);
    for (const RunningQuery& r : running_) {
        // The query and its request live until the entry is erased, which waits for the lock.
        MonitoredQuery query{.number = r.number,
                             .user = r.user,
                             .sessionId = r.request->sessionId,
                             .startNanos = r.startNanos,
                             .source = shownSource(*r.query)};
        if (r.request->progress) {
            const Progress::Snapshot progress = r.request->progress->snapshot();
            if (progress.work) query.tasks = progress.total, query.finishedTasks = progress.done;
        }
        if (r.arena) query.memoryBytes = std::max<int64_t>(0, r.arena->heldBytes() - r.bytesBefore);
        list.push_back(std::move(query));
    }
    return list;
}

std::vector<MonitoredQuery> QueryMonitor::completed(size_t limit) const {
    const MutexLock lock(mutex_);
    std::vector<MonitoredQuery> list(completed_.rbegin(),
                                     completed_.rbegin() + static_cast<int64_t>(std::min(limit, completed_.size())));
    return list;
}

int64_t QueryMonitor::nanosSince(const MonitoredQuery& query) {
    return std::max<int64_t>(0, localNanos() - query.startNanos);
}

std::vector<int64_t> QueryMonitor::durations(size_t limit) const {
    const MutexLock lock(mutex_);
    std::vector<int64_t> list;
    for (auto q = completed_.rbegin(); q != completed_.rend() && list.size() < limit; ++q)
        list.push_back(q->endNanos - q->startNanos);
    return list;
}

}  // namespace pelorus
