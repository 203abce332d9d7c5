// SessionRegistry lists the sessions of the server's clients, with their users and running requests.
//
// Thread-safe. Connections open and close their sessions; built-in functions list, cancel and disconnect them. A
// session's id is random.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/function/context.h"
#include "runtime/function/progress.h"

namespace pelorus {

// The request that a session runs, as getConsoleJobs shows it. Times are local milliseconds since 1970.
struct RunningRequest {
    std::string rootJobId;
    std::string description;  // beginning of the script
    int priority = 4;
    int parallelism = 64;
    int64_t receivedMillis = 0;
    std::shared_ptr<Request> request;
    std::shared_ptr<const Progress> progress;  // null when the client itself shows the progress
};

// The state of a session, a copy of its entry. Times are local milliseconds since 1970.
struct SessionStatus {
    int64_t id = 0;
    std::string userId = "guest";
    std::string applicationName;  // as the client calls itself; empty: it does not
    std::string remoteHost;
    int remotePort = 0;
    int64_t createdMillis = 0;
    int64_t lastActiveMillis = 0;
    bool isNode = false;      // the client is another node of the cluster
    bool opensById = false;   // a client that knows the id may use the session
    int64_t answerBytes = 0;  // bytes of a result that the client has not read yet
    RunningRequest running;   // running.request is null while the session is idle

    // Returns whether the sender of a request may see the id.
    bool showsIdTo(const Request& who) const;
};

// The sessions of one server, a service of the process.
class SessionRegistry {
public:
    // The native protocol has 32 bits for an id, which names a session but does not open it; a client that may use a
    // session by its id alone gets one of 63 bits, which cannot be guessed.
    enum class Ids : uint8_t { Short, Unguessable };
    // Opens a session of a guest and returns its id. `disconnect` ends the session's connection; any thread may call
    // it, under the lock of the registry, until `close` returns; it must not call the registry. Throws SystemError when
    // the system gives no random numbers. The other functions ignore an id that is not open.
    int64_t open(const std::string& remoteHost, int remotePort, std::function<void()> disconnect = {},
                 Ids ids = Ids::Short);
    void close(int64_t id);

    // Limits the number of sessions of a user, so that one user's connections leave places for others; 0: no limit.
    // `admin`, guests and nodes are exempt.
    void limitSessionsOfUser(int most);
    // Changes the user of the session, and of the request that it runs. Throws UserError, and changes nothing, when the
    // user has too many sessions already.
    void setUser(int64_t id, std::shared_ptr<const Principal> principal);
    // Records how the session's client calls itself.
    void setApplication(int64_t id, const std::string& name);
    // Records the bytes of a result that the session holds for its client, 0 when it is sent. Throws UserError, and
    // records nothing, when all sessions of the user would hold more than `mostOfUser` bytes (0: no limit).
    void holdAnswer(int64_t id, int64_t bytes, int64_t mostOfUser = 0);
    SessionStatus status(int64_t id) const;  // id 0 when the session is not open
    std::vector<SessionStatus> all() const;

    // Records the beginning and the end of a request. REQUIRES: the session runs no other one.
    void began(int64_t id, RunningRequest running);
    void ended(int64_t id);
    // Cancels the request with this root job id. Returns false when none runs.
    bool cancel(const std::string& rootJobId);
    void cancelAll();
    // Cancels the request of a session and ends its connection, or the session itself when it has no connection.
    // Returns false when there is no such session.
    bool disconnect(int64_t id);

    // How long, in seconds, a session that has no connection may be idle; JsonSessions ends those that are longer.
    int64_t idleSeconds() const { return idleSeconds_; }
    void setIdleSeconds(int64_t seconds) { idleSeconds_ = seconds; }

private:
    void requireShare(const Principal& principal, const SessionStatus& session) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    std::atomic<int64_t> idleSeconds_{30 * 60};
    mutable Mutex mutex_;
    std::map<int64_t, SessionStatus> sessions_ GUARDED_BY(mutex_);
    std::map<int64_t, std::function<void()>> disconnects_ GUARDED_BY(mutex_);
    int maxOfUser_ GUARDED_BY(mutex_) = 0;
};

// newJobId returns a random id in the form of a UUID; localMillis returns the local time in milliseconds since 1970.
std::string newJobId();
int64_t localMillis();

}  // namespace pelorus
