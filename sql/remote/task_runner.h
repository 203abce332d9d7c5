// Interface that runs calls on the nodes that store their data. A query or a map-reduce job names the nodes; a layer
// above implements the calls (distributed/map_reduce/remote_task_runner.cpp). A process without one keeps all its data
// itself.
#pragma once

#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "runtime/value/value.h"

namespace pelorus {

struct RemoteCall {
    std::string node;  // alias, as PartitionEntry::node
    Ref<Function> function;
    std::vector<Value> arguments;
    bool mayMove = false;  // another node can make it when this one is lost
};

struct RemoteAnswer {
    Value value;
    std::string lost;  // why the node was, naming it; empty when it answered
};

// A service of the process. Thread-safe.
class TaskRunner {
public:
    virtual ~TaskRunner() = default;
    virtual bool isLocal(const std::string& node) const = 0;
    // Makes all calls concurrently and returns their answers in order. When one fails, throws its error, which names
    // the node, without waiting for the others. A node that does not answer is lost within seconds: that is an error
    // unless the call may move; then the others go on.
    virtual std::vector<RemoteAnswer> call(Context& context, std::vector<RemoteCall> calls) = 0;
    // Returns aliases of all data nodes, this one included, in a fixed order.
    virtual std::vector<std::string> nodes() const = 0;
};

}  // namespace pelorus
