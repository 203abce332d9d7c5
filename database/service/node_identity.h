// NodeIdentity identifies this process to nodes and clients. A service of the process; members that change while it
// runs are atomic.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace pelorus {

// The role of a node. In answers to clients: never renumber.
enum class NodeMode : int32_t { Data = 0, Agent = 1, Controller = 2, Single = 3, Compute = 4 };

// The name, address and role of the process, and its client connections with their limit.
struct NodeIdentity {
    std::string alias;
    std::string host = "127.0.0.1";
    int port = 0;
    NodeMode mode = NodeMode::Single;
    std::atomic<int> maxConnections{512};
    std::atomic<int> connections{0};
};

}  // namespace pelorus
