// HTTP requests to one server over one kept connection, for services that speak JSON (etcd's gateway).
//
// Used by one thread at a time. Throws SystemError (retryable) when the server cannot be reached, breaks the
// connection, or nothing of its answer comes for the time given; the client is of no further use then.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/connection.h"

namespace pelorus {

struct HttpAnswer {
    int status = 0;
    std::string body;
};

class HttpClient {
public:
    // The time limit holds for an answer, and for the connection when there is no other.
    HttpClient(std::string host, int port, int timeoutMillis, int connectTimeoutMillis = 0);
    ~HttpClient();

    HttpAnswer post(std::string_view path, std::string_view body);

    // Posts, and passes each line of the answer to `onLine` as it arrives until the server ends it, `onLine` returns
    // false, or another thread calls `shutdown`. The time limit holds for the beginning of the answer only. `onIdle`
    // runs about ten times a second while no line comes, and may throw to end it.
    void postStream(std::string_view path, std::string_view body, const std::function<bool(std::string_view)>& onLine,
                    std::function<void()> onIdle = nullptr);

    void shutdown() { connection_->shutdown(); }
    // False when the server closed the connection meanwhile.
    bool usable() const { return !connection_->peerHasLeft(); }

private:
    void send(std::string_view path, std::string_view body);

    const std::string host_;
    const int timeoutMillis_;
    std::unique_ptr<Connection> connection_;
    std::chrono::steady_clock::time_point deadline_;
};

}  // namespace pelorus
