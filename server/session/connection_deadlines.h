// ConnectionDeadlines enforces the time limits of ClientPolicy on one client. A client that sends nothing, or a byte
// now and then, must not hold a place for ever.
//
// The thread of the connection owns it, and calls `check` whenever a read has waited; other threads may call
// `mustLogIn`.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "server/access/client_policy.h"

namespace pelorus {

// The stage of one connection, since when it is in it, and how many bytes had come then.
class ConnectionDeadlines {
public:
    enum class Stage : uint8_t {
        Line,      // the request line; the first one counts from the connection of the client
        Body,      // the body that the request line announced
        Between,   // no request has begun
        Headers,   // the headers of an HTTP request; the first ones count from the connection of the client
        HttpIdle,  // between two HTTP requests
        Work,      // the server works: no limit
    };

    explicit ConnectionDeadlines(const ClientPolicy& policy);

    // Begins a stage now. `receivedBytes` counts from the beginning of the connection.
    void enter(Stage stage, int64_t receivedBytes);
    // Lifts the limit for logging in.
    void loggedIn() { mustLogIn_ = false; }
    // Starts the limit for logging in anew, unless guests may run scripts.
    void loggedOut();
    // Returns whether the client must still log in. Any thread.
    bool mustLogIn() const { return mustLogIn_; }

    // Throws UserError when the stage has taken too long, or its bytes come too slowly.
    void check(int64_t receivedBytes) const;

private:
    using Clock = std::chrono::steady_clock;

    const ClientPolicy policy_;
    std::atomic<bool> mustLogIn_;
    Stage stage_ = Stage::Line;
    Clock::time_point unauthenticatedSince_ = Clock::now();
    Clock::time_point began_ = Clock::now();
    int64_t receivedBefore_ = 0;
};

}  // namespace pelorus
