// HttpClient sends HTTP requests to one server over one connection, for services that speak JSON (etcd's gateway).
//
// One thread at a time may use it. Its functions throw SystemError (retryable) when the server cannot be reached or
// breaks the connection, or when nothing of its answer comes within the time limit; the client is of no further use
// then.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/connection.h"

namespace pelorus {

// The answer of a server to one request.
struct HttpAnswer {
    int status = 0;
    std::string body;
};

// One connection to a server.
class HttpClient {
public:
    // Connects. The first time limit applies to each silence during an answer, and to connecting when the second one is
    // 0.
    HttpClient(std::string host, int port, int timeoutMillis, int connectTimeoutMillis = 0);
    ~HttpClient();

    // Sends an Authorization header with every request from now on. REQUIRES: the text has no line break.
    void authorize(std::string_view authorization);

    // Posts JSON and returns the answer, whatever its status.
    HttpAnswer post(std::string_view path, std::string_view body);

    // Posts JSON, and passes each line of the answer to `onLine` as it arrives, until the server ends the answer,
    // `onLine` returns false, or another thread calls `shutdown`. The time limit applies to the beginning of the answer
    // only. `onIdle` runs about ten times a second while no line comes, and may throw to end the wait.
    void postStream(std::string_view path, std::string_view body, const std::function<bool(std::string_view)>& onLine,
                    std::function<void()> onIdle = nullptr);

    // Ends the connection; a thread that waits gets a SystemError. Any thread.
    void shutdown() { connection_->shutdown(); }
    // Returns false when the server has closed the connection.
    bool usable() const { return !connection_->peerHasLeft(); }

private:
    void send(std::string_view path, std::string_view body);

    const std::string host_;
    const int timeoutMillis_;
    std::string authorization_;  // a header with its line break; empty for none
    std::unique_ptr<Connection> connection_;
    std::chrono::steady_clock::time_point deadline_;
};

}  // namespace pelorus
