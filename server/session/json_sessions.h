// JsonSessions keeps the sessions of clients of the JSON interface, which live from request to request and are named by
// a random number.
//
// Thread-safe. A session serves one request at a time. One that nobody used for SessionRegistry::idleSeconds ends, and
// so does the least recently used session of a user who has 64 when another one opens.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "common/thread/mutex.h"
#include "server/session/script_host.h"
#include "server/session/session_registry.h"

namespace pelorus {

// The sessions of one server, by id. They are registered in the SessionRegistry, which outlives the object.
class JsonSessions {
public:
    JsonSessions(ScriptHost& host, SessionRegistry& registry) : host_(host), registry_(registry) {}
    ~JsonSessions();

    struct Session {
        int64_t id = 0;
        std::unique_ptr<ScriptSession> script;  // guarded by `busy`
        Mutex busy;                             // held by the request that runs in the session
        std::chrono::steady_clock::time_point lastUsed = std::chrono::steady_clock::now();
    };

    // Opens a session of a guest.
    std::shared_ptr<Session> open(const std::string& remoteHost, int remotePort);
    // Returns the session, and notes that it is used; null when there is none by this number, or not any more.
    std::shared_ptr<Session> find(int64_t id);
    // Returns whether a client at this address has a session that is logged in.
    bool knowsUserAt(const std::string& remoteHost) const;
    // Ends the sessions that were idle for too long. The server's accepting thread calls it several times a second.
    void expire();

private:
    void end(int64_t id);

    ScriptHost& host_;
    SessionRegistry& registry_;
    mutable Mutex mutex_;
    std::map<int64_t, std::shared_ptr<Session>> sessions_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
