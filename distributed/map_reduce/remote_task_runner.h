// Implements sql/remote/task_runner.h over the nodes of a cluster: each call goes to its node, all concurrently.
#pragma once

#include "sql/remote/task_runner.h"

namespace pelorus {

class Cluster;

// The TaskRunner of a process in a cluster, registered as a service. Each call runs on a separate thread; those for
// this node are not sent. When one fails, the others are given up, unless its node was lost and the call may move: then
// its answer says so. The cluster outlives it. Thread-safe.
class RemoteTaskRunner final : public TaskRunner {
public:
    explicit RemoteTaskRunner(Cluster& cluster) : cluster_(cluster) {}

    bool isLocal(const std::string& node) const override;
    std::vector<RemoteAnswer> call(Context& context, std::vector<RemoteCall> calls) override;
    std::vector<std::string> nodes() const override;

private:
    Cluster& cluster_;
};

}  // namespace pelorus
