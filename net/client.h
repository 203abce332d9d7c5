// Client speaks the native protocol: it sends requests to another process and awaits the answers.
//
// It sends one request at a time: one thread uses it, or its owner guards it with a lock.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/connection.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/value/value.h"

namespace pelorus {

// A node logs in as this prefix followed by the name of the user whom it acts for, with the cluster's key as password.
constexpr std::string_view kNodeUserPrefix = "@node:";

// The peer of a client, and how to talk to it.
struct ClientOptions {
    std::string host = "127.0.0.1";
    int port = 8848;
    std::string user;  // empty: stay a guest
    std::string password;
    int connectTimeoutMillis = 2500;
    // Encrypts the connection; null: it is not encrypted. `checkPeer` is called with the SHA-256 of the peer's
    // certificate before anything is sent, and may throw to refuse the peer.
    std::shared_ptr<const TlsContext> tls;
    std::function<void(const std::string& fingerprint)> checkPeer;
    // Name of the peer in errors; empty: host:port.
    std::string peerName;
    // The kind of the peer: functions and data sources are sent in full to a Node only.
    Peer peer = Peer::Client;
    // True for a person's console: the peer sends prints as ConsoleMessages (console_message.h).
    bool isConsole = false;
    // True for a subscriber: after a call of publishTable the peer sends messages, which readMessage returns.
    bool takesMessages = false;
    // Runs about ten times a second while an answer is awaited, and throws to give up. May be empty.
    std::function<void()> idleCheck;
};

// Rows of a stream table as a publisher sends them.
struct StreamedMessage {
    int64_t sentNanos = 0;  // since 1970
    int64_t id = 0;         // number of the last row; -1 for the message of the columns
    std::string topic;
    Value value;  // a tuple of columns; a table without rows for the columns
};

// One connection to a peer, with the session that it has there.
class Client {
public:
    // Connects and logs in. Throws SystemError naming the peer when it cannot be reached, ConnectionRefused when no
    // process listens there, UserError when it refuses the login.
    explicit Client(ClientOptions options);
    ~Client();

    // Returns the value of the script's last expression; VOID when there is none. Throws UserError with the peer's
    // message, SystemError when the connection breaks; after a SystemError the client is unusable.
    Value run(std::string_view script);
    // Applies a function of the peer, given by name or as an expression that yields one. Returns and throws as `run`
    // does.
    Value call(std::string_view expression, std::span<const Value> arguments);
    // Sets variables of the session; names and values correspond. Throws as `run` does.
    void upload(const std::vector<std::string>& names, std::span<const Value> values);

    // Waits for the next message of the peer. Throws SystemError when the connection breaks. REQUIRES: takesMessages,
    // and publishTable was called last.
    StreamedMessage readMessage();

    // Sets the receiver of what the peer's code prints; nullptr drops it. It runs on the thread that awaits an answer.
    void onPrint(std::function<void(std::string_view)> print) { print_ = std::move(print); }
    void setIdleCheck(std::function<void()> check);

    int64_t sessionId() const { return sessionId_; }
    const std::string& peerName() const { return options_.peerName; }
    // Returns false when the connection is broken, or the peer has closed it.
    bool usable() const { return !broken_ && !connection_->peerHasLeft(); }
    // Ends the connection; a request that another thread waits for throws SystemError there. Any thread.
    void shutdown();

private:
    Value exchange(const std::string& body, std::span<const Value> values);
    Value awaitAnswer();

    ClientOptions options_;
    std::unique_ptr<Connection> connection_;
    std::function<void(std::string_view)> print_;
    int64_t sessionId_ = 0;
    bool broken_ = false;
};

}  // namespace pelorus
