// Client of the native protocol: sends requests to another process and awaits the answers.
//
// One request at a time: used by one thread, or under its owner's lock.
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

struct ClientOptions {
    std::string host = "127.0.0.1";
    int port = 8848;
    std::string user;  // empty: stay a guest
    std::string password;
    int connectTimeoutMillis = 2500;
    // Encrypts; `checkPeer` is called with the SHA-256 of the peer's certificate before anything is sent, and may
    // throw.
    std::shared_ptr<const TlsContext> tls;
    std::function<void(const std::string& fingerprint)> checkPeer;
    // Name of the peer in errors; empty: host:port.
    std::string peerName;
    // With Node, functions and data sources are sent in full.
    Peer peer = Peer::Client;
    // A person's console: prints are ConsoleMessages (console_message.h).
    bool isConsole = false;
    // Runs about ten times a second while an answer is awaited, and throws to give up. May be empty.
    std::function<void()> idleCheck;
};

class Client {
public:
    // Connects and logs in. Throws SystemError naming the peer when it cannot be reached, ConnectionRefused when nobody
    // listens there, UserError when it refuses.
    explicit Client(ClientOptions options);
    ~Client();

    // Returns the value of the script's last expression; VOID when there is none. Throws UserError with the peer's
    // message, SystemError when the connection breaks; after a SystemError the client is unusable.
    Value run(std::string_view script);
    // Applies a function of the peer, by name or as an expression that yields one.
    Value call(std::string_view expression, std::span<const Value> arguments);
    void upload(const std::vector<std::string>& names, std::span<const Value> values);

    // Sets the receiver of the prints of the peer's code; nullptr drops them.
    void onPrint(std::function<void(std::string_view)> print) { print_ = std::move(print); }
    void setIdleCheck(std::function<void()> check);

    int64_t sessionId() const { return sessionId_; }
    const std::string& peerName() const { return options_.peerName; }
    // False when the connection is broken, or the peer closed it meanwhile.
    bool usable() const { return !broken_ && !connection_->peerHasLeft(); }
    // Ends a request that another thread waits for, with a SystemError there.
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
