// Sessions of clients of the JSON interface, which live from request to request and are named by a random number.
//
// Thread-safe. A session serves one request at a time; one that nobody used for half an hour ends, and so does the LRU
// session of a user who has more than 64.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "common/thread/mutex.h"
#include "server/session/script_host.h"
#include "server/session/session_registry.h"

namespace pelorus {

class JsonSessions {
public:
    JsonSessions(ScriptHost& host, SessionRegistry& registry) : host_(host), registry_(registry) {}
    ~JsonSessions();

    struct Session {
        int64_t id = 0;
        std::unique_ptr<ScriptSession> script;  // used under `busy`
        Mutex busy;                             // held by the request that runs in the session
        std::chrono::steady_clock::time_point lastUsed = std::chrono::steady_clock::now();
    };

    // Opens a new session of a guest.
    std::shared_ptr<Session> open(const std::string& remoteHost, int remotePort);
    // Returns nothing when there is none by this number, or not any more.
    std::shared_ptr<Session> find(int64_t id);
    // Whether a client at this address has a session that is logged in.
    bool knowsUserAt(const std::string& remoteHost) const;
    // Ends those that were idle for too long. Called now and then.
    void expire();

private:
    void end(int64_t id);

    ScriptHost& host_;
    SessionRegistry& registry_;
    mutable Mutex mutex_;
    std::map<int64_t, std::shared_ptr<Session>> sessions_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
