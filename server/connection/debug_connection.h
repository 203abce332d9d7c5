// Debugger of an editor on one connection: WebSocket subprotocol "debug", whose messages net/debug_call.h describes.
//
// A client logs in, sends a script, sets breakpoints, and runs it; stops, prints and the end are told by events. Calls
// are answered at once. Owned by the thread of the connection; the script runs on another one, and ends with the
// connection.
#pragma once

#include <functional>
#include <memory>

namespace pelorus {

class Connection;
class ConnectionDeadlines;
class RequestSlot;
struct ServerParts;

class DebugConnection {
public:
    struct Parts {
        Connection& connection;
        ServerParts& server;
        ConnectionDeadlines& deadlines;
        RequestSlot& slot;
        std::function<void()> loggedIn;  // called by the thread of the connection
    };
    explicit DebugConnection(Parts parts);
    // Ends the script.
    ~DebugConnection();
    DebugConnection(const DebugConnection&) = delete;
    DebugConnection& operator=(const DebugConnection&) = delete;

    // Answers calls until the client leaves. Throws what reading throws.
    void serve();

private:
    class State;
    const std::unique_ptr<State> state_;
};

}  // namespace pelorus
