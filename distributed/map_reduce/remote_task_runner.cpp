#include "distributed/map_reduce/remote_task_runner.h"

#include <chrono>
#include <condition_variable>
#include <thread>

#include "common/thread/mutex.h"
#include "common/thread/thread_start.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "runtime/function/progress.h"
#include "runtime/value/vector.h"

namespace pelorus {

bool RemoteTaskRunner::isLocal(const std::string& node) const {
    return node.empty() || node == cluster_.self().alias;
}

std::vector<std::string> RemoteTaskRunner::nodes() const {
    std::vector<std::string> aliases;
    for (const ClusterMember& member : cluster_.members()) aliases.push_back(member.alias);
    return aliases;
}

namespace {

// The request of this node's part of a job. It is also cancelled when the caller's request is, or when another node's
// part has failed.
class LocalPart {
public:
    LocalPart(const Request& caller, const std::atomic<bool>& abandon)
        : request(caller.sharedPrincipal()), watcher_(startThread([this, &caller, &abandon] {
              MutexLock lock(mutex_);
              while (!ended_) {
                  if (caller.cancelled || abandon) request.cancelled = true;
                  changed_.waitFor(lock, std::chrono::milliseconds(20));
              }
          })) {
        request.sessionId = caller.sessionId;
        request.print = caller.print;
    }
    ~LocalPart() {
        {
            const MutexLock lock(mutex_);
            ended_ = true;
        }
        changed_.notifyAll();
        watcher_.join();
    }

    Request request;

private:
    Mutex mutex_;
    CondVar changed_;
    bool ended_ GUARDED_BY(mutex_) = false;
    std::thread watcher_;
};

}  // namespace

std::vector<RemoteAnswer> RemoteTaskRunner::call(Context& context, std::vector<RemoteCall> calls) {
    std::vector<RemoteAnswer> results(calls.size());
    ProgressPhase progress(context.request->progress, "parts on nodes", ProgressUnit::Tasks,
                           static_cast<int64_t>(calls.size()));
    callInParallel(calls.size(), [&](size_t i, const std::atomic<bool>& abandon) {
        RemoteCall& call = calls[i];
        if (isLocal(call.node)) {
            LocalPart part(*context.request, abandon);
            Context local = context;
            local.request = &part.request;
            results[i].value = call.function->call(local, call.arguments);
            progress.add(1);
            return;
        }
        const std::vector<Value> arguments{Value::of(call.function),
                                           Value::of(makeRef<Tuple>(std::move(call.arguments)))};
        try {
            results[i].value = cluster_.call(call.node, context, "applyForNode", arguments,
                                             {.endsInSilence = call.mayMove, .abandon = &abandon});
            progress.add(1);
        } catch (const NodeLost& error) {
            if (!call.mayMove) throw;
            results[i].lost = error.what();
        }
    });
    return results;
}

}  // namespace pelorus
