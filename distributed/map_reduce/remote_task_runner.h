// Implementation of sql/remote/task_runner.h over the nodes of a cluster: each call goes to its node, all concurrently.
#pragma once

#include "sql/remote/task_runner.h"

namespace pelorus {

class Cluster;

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
