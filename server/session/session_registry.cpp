#include "server/session/session_registry.h"

#include <fmt/format.h>
#include <openssl/rand.h>
#include <array>

#include <chrono>
#include <cstdio>
#include <ctime>

#include "common/check.h"
#include "common/error.h"
#include "runtime/function/principal.h"

namespace pelorus {
namespace {

template <class T>
T randomNumber() {
    T number;
    if (RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof number) != 1) {
        throw SystemError("The system returns no random numbers.");
    }
    return number;
}

}  // namespace

// Asks the generator for the numbers of several ids together: each call costs more than the rest of a short request.
std::string newJobId() {
    struct Bytes {
        uint64_t high, low;
    };
    constexpr size_t kTogether = 32;
    thread_local std::array<Bytes, kTogether> drawn;
    thread_local size_t taken = kTogether;
    if (taken == kTogether) {
        drawn = randomNumber<std::array<Bytes, kTogether>>();
        taken = 0;
    }
    const auto [high, low] = drawn[taken++];
    char string[40];
    std::snprintf(string, sizeof string, "%08x-%04x-%04x-%04x-%012lx", static_cast<uint32_t>(high >> 32),
                  static_cast<unsigned>(high >> 16 & 0xffff), static_cast<unsigned>(high & 0xffff),
                  static_cast<unsigned>(low >> 48), low & 0xffffffffffff);
    return string;
}

int64_t localMillis() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    std::tm local{};
    localtime_r(&seconds, &local);
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
    return millis + local.tm_gmtoff * 1000;
}

bool SessionStatus::showsIdTo(const Request& who) const {
    return !opensById || id == who.sessionId || who.principal().mayManageWorkOf(userId);
}

int64_t SessionRegistry::open(const std::string& remoteHost, int remotePort, std::function<void()> disconnect,
                              Ids ids) {
    const MutexLock lock(mutex_);
    int64_t id = 0;
    while (id == 0 || sessions_.count(id))
        id = ids == Ids::Short ? randomNumber<uint32_t>() : static_cast<int64_t>(randomNumber<uint64_t>() >> 1);
    SessionStatus& session = sessions_[id];
    session.id = id;
    session.remoteHost = remoteHost;
    session.remotePort = remotePort;
    session.opensById = ids == Ids::Unguessable;
    session.createdMillis = session.lastActiveMillis = localMillis();
    if (disconnect) disconnects_[id] = std::move(disconnect);
    return id;
}

void SessionRegistry::close(int64_t id) {
    const MutexLock lock(mutex_);
    sessions_.erase(id);
    disconnects_.erase(id);
}

void SessionRegistry::requireShare(const Principal& principal, const SessionStatus& session) const {
    const bool isBounded = maxOfUser_ > 0 && !principal.isNode() && !principal.isGuest() &&
                           !principal.powers().everything && session.userId != principal.user();
    if (!isBounded) return;
    int held = 0;
    for (const auto& [id, known] : sessions_) held += known.userId == principal.user() && !known.isNode;
    if (held < maxOfUser_) return;
    throw UserError(fmt::format("The user {} has {} sessions, the most of one user.", principal.user(), held),
                    "Close some; a quarter of maxConnections is for each user.");
}

void SessionRegistry::limitSessionsOfUser(int most) {
    const MutexLock lock(mutex_);
    maxOfUser_ = most;
}

void SessionRegistry::setUser(int64_t id, std::shared_ptr<const Principal> principal) {
    const MutexLock lock(mutex_);
    auto it = sessions_.find(id);
    if (it == sessions_.end()) return;
    requireShare(*principal, it->second);
    it->second.userId = principal->user();
    it->second.isNode = principal->isNode();
    if (it->second.running.request) it->second.running.request->setPrincipal(std::move(principal));
}

void SessionRegistry::setApplication(int64_t id, const std::string& name) {
    const MutexLock lock(mutex_);
    const auto it = sessions_.find(id);
    if (it != sessions_.end()) it->second.applicationName = name;
}

void SessionRegistry::holdAnswer(int64_t id, int64_t bytes, int64_t mostOfUser) {
    const MutexLock lock(mutex_);
    const auto it = sessions_.find(id);
    if (it == sessions_.end()) return;
    int64_t held = bytes;
    for (const auto& [other, known] : sessions_) {
        if (other != id && known.userId == it->second.userId) held += known.answerBytes;
    }
    if (mostOfUser > 0 && held > mostOfUser) {
        throw UserError(
            fmt::format("The results that clients of {} have not read yet would take {} bytes, more than the "
                        "{} of one user.",
                        it->second.userId, held, mostOfUser),
            "Read them, or ask for fewer rows; getSessionMemoryStat() shows answerBytes of each session.");
    }
    it->second.answerBytes = bytes;
}

SessionStatus SessionRegistry::status(int64_t id) const {
    const MutexLock lock(mutex_);
    auto it = sessions_.find(id);
    return it == sessions_.end() ? SessionStatus() : it->second;
}

std::vector<SessionStatus> SessionRegistry::all() const {
    const MutexLock lock(mutex_);
    std::vector<SessionStatus> list;
    for (const auto& [id, session] : sessions_) list.push_back(session);
    return list;
}

void SessionRegistry::began(int64_t id, RunningRequest running) {
    const MutexLock lock(mutex_);
    auto it = sessions_.find(id);
    if (it == sessions_.end()) return;
    CHECK(!it->second.running.request) << "a session runs one request at a time";
    running.receivedMillis = it->second.lastActiveMillis = localMillis();
    it->second.running = std::move(running);
}

void SessionRegistry::ended(int64_t id) {
    const MutexLock lock(mutex_);
    auto it = sessions_.find(id);
    if (it == sessions_.end()) return;
    it->second.lastActiveMillis = localMillis();
    it->second.running = {};
}

bool SessionRegistry::cancel(const std::string& rootJobId) {
    const MutexLock lock(mutex_);
    for (auto& [id, session] : sessions_) {
        if (session.running.request && session.running.rootJobId == rootJobId) {
            session.running.request->cancelled = true;
            return true;
        }
    }
    return false;
}

bool SessionRegistry::disconnect(int64_t id) {
    // Called under the lock: `close`, which the connection calls before it is destroyed, waits for us.
    const MutexLock lock(mutex_);
    const auto it = sessions_.find(id);
    if (it == sessions_.end()) return false;
    if (it->second.running.request) it->second.running.request->cancelled = true;
    if (const auto found = disconnects_.find(id); found != disconnects_.end()) {
        found->second();
    } else {
        sessions_.erase(it);
    }
    return true;
}

void SessionRegistry::cancelAll() {
    const MutexLock lock(mutex_);
    for (auto& [id, session] : sessions_) {
        if (session.running.request) session.running.request->cancelled = true;
    }
}

}  // namespace pelorus
