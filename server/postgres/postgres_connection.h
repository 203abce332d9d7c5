// PostgresConnection serves a client of PostgreSQL's protocol from its first message until it leaves.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/postgres/answer_writer.h"
#include "server/postgres/wire/frame_reader.h"

namespace pelorus {
class Connection;
class ConnectionDeadlines;
class RequestSlot;
struct ServerParts;
}  // namespace pelorus

namespace pelorus::postgres {

class MessageHandler;
class PostgresSession;
class RequestScope;
struct StartupRequest;

// The connection of one client. The thread of the connection calls `serve`; requests run on it.
class PostgresConnection {
public:
    // All of them outlive the object. `server.services` is not null.
    struct Place {
        Connection& connection;
        ServerParts& server;
        ConnectionDeadlines& deadlines;
        RequestSlot& slot;
        bool onlyAdministrators = false;
    };
    explicit PostgresConnection(const Place& place);
    ~PostgresConnection();
    PostgresConnection(const PostgresConnection&) = delete;
    PostgresConnection& operator=(const PostgresConnection&) = delete;

    // Returns when the client has left, or was told why it must. Throws nothing.
    void serve();

private:
    using Clock = std::chrono::steady_clock;

    void serveSession(const StartupRequest& request);
    void begin(const StartupRequest& request, const std::string& user);
    void endSession();
    void refuseNewerOptions(const StartupRequest& request);
    void serveMessages(MessageHandler& handler, RequestScope& scope);
    bool serveOne(MessageHandler& handler, RequestScope& scope);
    void refuse(const std::exception& error, std::string_view state = {});
    const Frame& receiveCopy();
    void checkIdle() const;
    void auditConnection(std::string_view operation) const;

    const Place place_;
    const std::string peerHost_;
    AnswerWriter answer_;
    Frame frame_;
    std::unique_ptr<PostgresSession> session_;
    int64_t sessionId_ = 0;
    bool isIdle_ = false;  // waits for a message of a session
    Frame copyFrame_;
    bool isCopying_ = false;                     // waits for rows of a copy
    std::atomic<bool> isCopyCancelled_ = false;  // set by other threads, too
    Clock::time_point idleSince_;
    int64_t idleMillis_ = 0, idleInBlockMillis_ = 0;  // limits as of the last message; 0: none
};

}  // namespace pelorus::postgres
