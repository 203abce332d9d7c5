// NodeProcess holds the services that scripts on a node find.
#pragma once

#include "apps/process/wiring.h"

namespace pelorus {

struct NodeServices;
struct NodeSettings;

// Process whose scripts find the services of a node and hear its settings from getConfig.
class NodeProcess {
public:
    NodeProcess(const NodeSettings& settings, const NodeServices& node);

    Services& services() { return process_.mutableServices(); }

private:
    Process process_;
};

}  // namespace pelorus
