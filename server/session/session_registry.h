// Registry of the sessions of the server's clients, with their users and running requests.
//
// Thread-safe. A session's id is the one that clients see; it is random, so that it cannot be guessed.
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

struct RunningRequest {
    std::string rootJobId;
    std::string description;  // the beginning of the script
    int priority = 4;
    int parallelism = 64;
    int64_t receivedMillis = 0;
    std::shared_ptr<Request> request;
    std::shared_ptr<const Progress> progress;  // null when the client shows it by itself
};

struct SessionStatus {
    int64_t id = 0;
    std::string userId = "guest";
    std::string remoteHost;
    int remotePort = 0;
    int64_t createdMillis = 0;
    int64_t lastActiveMillis = 0;
    bool isNode = false;      // another node of the cluster
    bool opensById = false;   // a client that knows the id may use the session
    int64_t answerBytes = 0;  // of a result that its client has not read yet
    RunningRequest running;   // request is nullptr while idle

    // Whether the sender of a request may see the id.
    bool showsIdTo(const Request& who) const;
};

class SessionRegistry {
public:
    // `disconnect` ends the session's connection; it may be called from any thread while the session is open.
    // The native protocol has 32 bits for an id, which names a session and opens none; a client that may use a session
    // by its id alone gets one of 63 bits.
    enum class Ids : uint8_t { Short, Unguessable };
    int64_t open(const std::string& remoteHost, int remotePort, std::function<void()> disconnect = {},
                 Ids ids = Ids::Short);
    void close(int64_t id);

    // Bounds the sessions of a user, so that one user's connections leave places for others; 0: no bound. `admin`,
    // guests and nodes are not bounded.
    void limitSessionsOfUser(int most);
    // Changes the user of the session, and of the request that it runs. Throws UserError, changing nothing, when the
    // user has no session left.
    void setUser(int64_t id, std::shared_ptr<const Principal> principal);
    // Notes the bytes of a result that the session holds for its client, 0 when it is sent. Throws UserError when the
    // session's user would hold more than `mostOfUser` by all sessions; 0: no bound.
    void holdAnswer(int64_t id, int64_t bytes, int64_t mostOfUser = 0);
    SessionStatus status(int64_t id) const;  // an empty one when the session is gone
    std::vector<SessionStatus> all() const;

    void began(int64_t id, RunningRequest running);
    void ended(int64_t id);
    // Asks the request with this root job id to stop. False when none runs.
    bool cancel(const std::string& rootJobId);
    void cancelAll();
    // Ends the session's connection, or the session itself when it has none, and cancels what it runs. False when there
    // is no such session.
    bool disconnect(int64_t id);

    // How long a session that has no connection may be idle.
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

// newJobId returns a random UUID; localMillis the clock of job times: local milliseconds since 1970.
std::string newJobId();
int64_t localMillis();

}  // namespace pelorus
