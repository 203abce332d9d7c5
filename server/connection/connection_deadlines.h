// Time limits of one client for the phases of a connection. A client that sends nothing, or a byte now and then, must
// not hold a place for ever.
//
// Owned by the thread of the connection; `mustLogIn` may be asked by others.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "server/access/client_policy.h"

namespace pelorus {

class ConnectionDeadlines {
public:
    enum class Stage : uint8_t {
        Line,      // of a request; the first one from when the client connected
        Body,      // what the line announced
        Between,   // no request has begun
        Headers,   // of an HTTP request; the first one from when the client connected
        HttpIdle,  // between two of them
        Work,      // the server's own time
    };

    explicit ConnectionDeadlines(const ClientPolicy& policy);

    void enter(Stage stage, int64_t receivedBytes);
    // From now on the client is authenticated, and may be idle.
    void loggedIn() { mustLogIn_ = false; }
    void loggedOut();
    // Whether nobody has logged in. Any thread.
    bool mustLogIn() const { return mustLogIn_; }

    // Throws UserError when the client took too long.
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
