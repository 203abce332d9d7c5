#include "distributed/remote_task_runner.h"

#include "distributed/cluster.h"
#include "distributed/parallel_calls.h"
#include "runtime/vector.h"

namespace pelorus {

bool RemoteTaskRunner::isLocal(const std::string& node) const {
    return node.empty() || node == cluster_.self().alias;
}

std::vector<std::string> RemoteTaskRunner::nodes() const {
    std::vector<std::string> aliases;
    for (const ClusterMember& member : cluster_.members()) aliases.push_back(member.alias);
    return aliases;
}

std::vector<Value> RemoteTaskRunner::call(Context& context, std::vector<RemoteCall> calls) {
    std::vector<Value> results(calls.size());
    callInParallel(calls.size(), [&](size_t i, const std::atomic<bool>& abandon) {
        RemoteCall& call = calls[i];
        if (isLocal(call.node)) {
            Context own = context;  // this thread has a call depth of its own
            own.callDepth = 0;
            results[i] = call.function->call(own, call.arguments);
            return;
        }
        const std::vector<Value> arguments{Value::of(call.function),
                                           Value::of(makeRef<Tuple>(std::move(call.arguments)))};
        results[i] = cluster_.call(call.node, *context.request, "applyForNode", arguments, &abandon);
    });
    return results;
}

}  // namespace pelorus
