// EditorConnection serves an editor in a browser on one connection: language server and workbench over WebSocket,
// subprotocol "pelorus".
//
// Each binary message is one JSON-RPC message and a line end. The first request is pelorus/connect with user and
// password, or with a ticket of the user in place of the password. The thread of the connection owns the object.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "server/session/request_slot.h"
#include "server/session/server_parts.h"

namespace pelorus {

class Connection;
class ConnectionDeadlines;

// The server's side of one editor; devtools answers its requests.
class EditorConnection {
public:
    // The objects that the connection lends; all of them outlive the editor.
    struct Parts {
        Connection& connection;
        ServerParts& server;
        ConnectionDeadlines& deadlines;
        RequestSlot& scripts;            // runs the scripts of the user's session
        RequestSlot& panels;             // runs the requests of the editor's panels, also while a script runs
        RequestSlot& debugged;           // runs a script that is debugged
        std::function<void()> loggedIn;  // called by the thread of the connection
    };
    explicit EditorConnection(Parts parts) : parts_(std::move(parts)) {}

    // Answers requests until the client leaves. Throws what reading throws.
    void serve();

private:
    bool admit(const std::string& line);
    void requireTicket(const std::string& user, const std::string& ticket);

    const Parts parts_;
    std::string user_;  // empty: not logged in
    std::atomic<bool> isReading_{false};
};

}  // namespace pelorus
