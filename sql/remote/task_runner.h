// "Run these where their data is." A query or a map-reduce job names the nodes; who carries the calls there is known
// above (distributed/map_reduce/remote_task_runner.cpp). A process without one keeps all its data itself.
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
};

// Found as a service of the process. Thread-safe.
class TaskRunner {
public:
    virtual ~TaskRunner() = default;
    virtual bool isLocal(const std::string& node) const = 0;
    // Makes all calls at the same time and returns their results in order. When one fails, throws its error, which
    // names the node, without waiting for the others; a node that does not answer is an error within seconds.
    virtual std::vector<Value> call(Context& context, std::vector<RemoteCall> calls) = 0;
    // Aliases of all data nodes, this one included, in a fixed order.
    virtual std::vector<std::string> nodes() const = 0;
};

}  // namespace pelorus
