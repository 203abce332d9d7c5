// UserSession is a session of a user on a connection of an editor or debugger; it runs one request at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/session/request_slot.h"
#include "server/session/server_parts.h"

namespace pelorus {

class Connection;

// The session is registered as long as the object lives. The thread of the connection owns it; `interrupt` may be
// called by any thread.
class UserSession {
public:
    // Opens the session in the registry until the destructor. Throws UserError when the user does not exist or has too
    // many sessions. The connection, server and slot outlive the object.
    UserSession(Connection& connection, ServerParts& server, RequestSlot& slot, const std::string& user);
    ~UserSession();
    UserSession(const UserSession&) = delete;
    UserSession& operator=(const UserSession&) = delete;

    // Runs a request in the user's name, with the rights of this moment, on a new thread, and returns when it has
    // ended. Throws what `work` throws, and UserError for a user who may not run scripts or a server that stops.
    Value carryOut(std::string_view description, RequestSlot::Details details,
                   const std::function<Value(ScriptSession&, Request&)>& work);
    // Cancels the running request, if any. Any thread.
    void interrupt();
    // Changes the user of the session. Throws as the constructor does.
    void setUser(const std::string& user);
    std::shared_ptr<const Principal> principal() const { return server_.principalOf(id_); }
    ScriptSession& script() { return *session_; }
    int64_t id() const { return id_; }

private:
    ServerParts& server_;
    RequestSlot& slot_;
    const std::unique_ptr<ScriptSession> session_;
    const std::string peerHost_;
    const int peerPort_;
    const int64_t id_;
};

}  // namespace pelorus
