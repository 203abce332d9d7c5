#include "server/session/json_sessions.h"

#include <algorithm>

namespace pelorus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kOfOneUser = 64;

}  // namespace

JsonSessions::~JsonSessions() {
    for (const auto& [id, session] : sessions_) registry_.close(id);
}

std::shared_ptr<JsonSessions::Session> JsonSessions::open(const std::string& remoteHost, int remotePort) {
    expire();
    auto session = std::make_shared<Session>();
    session->script = host_.newSession();
    session->id = registry_.open(remoteHost, remotePort, {}, SessionRegistry::Ids::Unguessable);
    struct OfUser {
        int count = 0;
        int64_t oldest = 0;
        Clock::time_point used = Clock::time_point::max();
    };
    std::map<std::string, OfUser> users;
    {
        const MutexLock lock(mutex_);
        for (const auto& [id, other] : sessions_) {
            OfUser& user = users[registry_.status(id).userId];
            ++user.count;
            // The busy ones hold a second reference.
            if (other->lastUsed >= user.used || other.use_count() > 1) continue;
            user.used = other->lastUsed;
            user.oldest = id;
        }
        sessions_.emplace(session->id, session);
    }
    for (const auto& [name, user] : users) {
        if (user.count >= kOfOneUser && user.oldest != 0) end(user.oldest);
    }
    return session;
}

std::shared_ptr<JsonSessions::Session> JsonSessions::find(int64_t id) {
    // closeSessions takes it out of the registry.
    if (registry_.status(id).id == 0) {
        end(id);
        return nullptr;
    }
    const MutexLock lock(mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return nullptr;
    found->second->lastUsed = Clock::now();
    return found->second;
}

bool JsonSessions::knowsUserAt(const std::string& remoteHost) const {
    const MutexLock lock(mutex_);
    return std::any_of(sessions_.begin(), sessions_.end(), [&](const auto& entry) {
        const SessionStatus status = registry_.status(entry.first);
        return status.remoteHost == remoteHost && status.userId != "guest";
    });
}

void JsonSessions::expire() {
    std::vector<int64_t> idle;
    const std::chrono::seconds idleTime(registry_.idleSeconds());
    {
        const MutexLock lock(mutex_);
        for (const auto& [id, session] : sessions_) {
            if (session.use_count() == 1 && Clock::now() - session->lastUsed > idleTime) idle.push_back(id);
        }
    }
    for (const int64_t id : idle) end(id);
}

void JsonSessions::end(int64_t id) {
    std::shared_ptr<Session> gone;  // its variables are freed without the lock
    {
        const MutexLock lock(mutex_);
        const auto found = sessions_.find(id);
        if (found == sessions_.end()) return;
        gone = std::move(found->second);
        sessions_.erase(found);
    }
    registry_.close(id);
}

}  // namespace pelorus
