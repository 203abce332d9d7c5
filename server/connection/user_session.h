// A session of a user on a connection whose protocol is not the native one: it runs one request at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/connection/client_connection.h"

namespace pelorus {

class UserSession {
public:
    // Opens the session, of the registry, until the destructor. All three live longer.
    UserSession(Connection& connection, ServerParts& server, RequestSlot& slot, const std::string& user);
    ~UserSession();
    UserSession(const UserSession&) = delete;
    UserSession& operator=(const UserSession&) = delete;

    // Runs a request in the user's name, with the rights of this moment, on a thread of its own, and returns when it
    // has ended. Throws what `work` throws, and UserError for a user who may not run scripts.
    Value carryOut(std::string_view description, RequestSlot::Details details,
                   const std::function<Value(ScriptSession&, Request&)>& work);
    // Stops the running request. Any thread.
    void interrupt();
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
