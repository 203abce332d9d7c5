// ClientConnection serves one client of a server: it reads a request, runs it and answers, until the client leaves.
//
// The first byte of a client selects the protocol: native, TLS, PostgreSQL's, or HTTP, which may become a WebSocket of
// the native protocol, of an editor or of a debugger. The server makes one object and one thread for each client; the
// thread calls `serve`, other threads only the methods that say so.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "common/io/audit.h"
#include "net/connection.h"
#include "net/frame.h"
#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "server/connection/stream_push.h"
#include "server/session/connection_deadlines.h"
#include "server/session/request_slot.h"
#include "server/session/script_host.h"
#include "server/session/server_parts.h"

namespace pelorus {

class GatheredBytes;
class Publication;

// The connection of one client; see the beginning of this file.
class ClientConnection {
public:
    // `parts` outlives the object. `onlyAdministrators`: the server is full, and this connection has one of the places
    // that are kept for administrators.
    ClientConnection(std::unique_ptr<Connection> connection, ServerParts& parts, bool onlyAdministrators = false);
    ~ClientConnection();

    // Returns when the client has left or violated the protocol. Throws nothing.
    void serve();
    // Cancels running requests and shuts the connection down, so that `serve` returns. Any thread.
    void stop();
    // Returns whether a request is running. Any thread.
    bool isBusy() const { return slot_.isBusy() || panelSlot_.isBusy() || debugSlot_.isBusy(); }
    // Returns whether the client has not logged in yet. Any thread.
    bool isUnauthenticated() const { return deadlines_.mustLogIn(); }
    // Returns whether nothing has come from the client yet. Any thread.
    bool isSilent() const { return isSilent_; }
    // Returns whether a login failed and none has succeeded since. Any thread.
    bool hasFailedToLogIn() const { return hasFailedToLogIn_; }
    // Shuts down the connection of a client that failed to log in, without a message: its own thread may be writing.
    // Any thread.
    void turnAway();
    // Sends a silent client the reason why it loses its place, and shuts the connection down. Any thread.
    void turnAway(const std::string& reason);
    bool isTurnedAway() const { return isTurnedAway_; }
    const std::string& peerHost() const { return peerHost_; }
    // Cancels a running request whose client has left or whose time is over, and lowers the priority of one that runs
    // for long. The accepting thread calls it several times a second.
    void tend();

private:
    void serveProtocol(char first);
    void serveNative();
    void servePublication();
    bool mayMakeOffer(const RequestBody& body) const;
    void serveEditor();
    void serveDebugger();
    void limitMessages();
    bool handleOne();
    std::vector<Value> readValues(const RequestLine& line, const RequestBody& body);
    void noteUser();
    void carryOut(const RequestLine& line, RequestBody& body, std::vector<Value> values);
    bool answerRepeat(const RequestLine& line, std::optional<KeptAnswers::Running>& running);
    Value evaluate(Request& request, RequestBody& body, std::vector<Value>& values);
    void login(const RequestBody& body);
    void auditConnection(std::string_view operation) const;
    void refuseUpload(const Error& error);
    AuditOrigin::Client auditedClient(std::string_view user) const;
    std::shared_ptr<const Principal> admit(const RequestBody& body) const;
    void writeBlocks(const Value& table, int64_t blockRows);
    void write(std::string_view bytes);
    void write(std::string_view head, const GatheredBytes& bytes);

    std::unique_ptr<Connection> connection_;
    ServerParts& parts_;
    const bool onlyAdministrators_;
    const std::string peerHost_;
    ConnectionDeadlines deadlines_;
    std::atomic<bool> isSilent_{true};
    std::atomic<bool> hasFailedToLogIn_{false};
    std::atomic<bool> isTurnedAway_{false};
    std::unique_ptr<ScriptSession> session_;
    int64_t sessionId_ = 0;
    RequestSlot slot_, panelSlot_, debugSlot_;
    StreamPush push_;
    std::shared_ptr<Publication> publication_;  // whose messages are sent once the request is answered
    bool isSubscriber_ = false;                 // a WebSocket for messages
    std::string rowFilter_;                     // with which it connected
    std::atomic<bool> isReadMeanwhile_{false};  // another part of the connection reads it while requests run
    std::atomic<bool> stopping_{false};
};

}  // namespace pelorus
