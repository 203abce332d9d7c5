// DebugConnection runs one script under a debugger for the client of a connection: WebSocket subprotocol "debug", whose
// messages net/debug_call.h describes.
//
// A client logs in, sends a script, sets breakpoints, and runs it; events report stops, prints and the end. Calls are
// answered at once, while the script runs on another thread. The thread of the connection owns the object; the script
// ends with the connection.
#pragma once

#include <functional>
#include <memory>

namespace pelorus {

class Connection;
class ConnectionDeadlines;
class RequestSlot;
struct ServerParts;

// The server's side of one debugger.
class DebugConnection {
public:
    // The objects that the connection lends; all of them outlive the debugger.
    struct Parts {
        Connection& connection;
        ServerParts& server;
        ConnectionDeadlines& deadlines;
        RequestSlot& slot;
        std::function<void()> loggedIn;  // called by the thread of the connection
    };
    explicit DebugConnection(Parts parts);
    // Cancels the script and waits for its end.
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
