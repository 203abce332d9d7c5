// State of the server as a whole, for its connections, /health and /metrics. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace pelorus {

struct ServerState {
    // Set when the server begins to stop: it takes no new requests, and those that run have a moment left.
    std::atomic<bool> isStopping{false};
    std::atomic<int64_t> requests{0};  // begun since the start, over all protocols
    std::atomic<int64_t> failures{0};  // of them, that ended with an error
    std::atomic<int64_t> accepted{0};  // connections
    std::atomic<int> debugged{0};      // scripts that run under a debugger
    std::atomic<int64_t> refused{0};   // connections for whom there was no place
    const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

}  // namespace pelorus
