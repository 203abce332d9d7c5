// Identity of this process among nodes and clients. A service of the process; members that change are atomic.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace pelorus {

// In answers to clients: never renumber.
enum class NodeMode : int32_t { Data = 0, Agent = 1, Controller = 2, Single = 3, Compute = 4 };

struct NodeIdentity {
    std::string alias;
    std::string host = "127.0.0.1";
    int port = 0;
    NodeMode mode = NodeMode::Single;
    std::atomic<int> maxConnections{512};
    std::atomic<int> connections{0};
};

}  // namespace pelorus
