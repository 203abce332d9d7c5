// ServerState is the state of the server as a whole, which its connections update and /health and /metrics report.
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace pelorus {

struct ServerState {
    // True once the server begins to stop: it takes no new requests, and running ones have three seconds left.
    std::atomic<bool> isStopping{false};
    std::atomic<int64_t> requests{0};  // requests begun since the start, over all protocols
    std::atomic<int64_t> failures{0};  // requests that ended with an error
    std::atomic<int64_t> accepted{0};  // connections accepted since the start
    std::atomic<int> debugged{0};      // scripts that run under a debugger
    std::atomic<int64_t> refused{0};   // connections refused for lack of a place
    const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

}  // namespace pelorus
