#include "server/session/debugged_sessions.h"

#include <fmt/format.h>

#include "common/error.h"

namespace pelorus {

void DebuggedSessions::add(int64_t session, std::string user, ReadVariable look) {
    const MutexLock lock(mutex_);
    sessions_[session] = {std::move(user), std::move(look)};
}

void DebuggedSessions::remove(int64_t session) {
    const MutexLock lock(mutex_);
    sessions_.erase(session);
}

Value DebuggedSessions::variable(int64_t session, int64_t frame, int64_t variable, const Principal& who) const {
    const MutexLock lock(mutex_);
    const auto found = sessions_.find(session);
    // Whose session it is stays unknown to those who may not see it.
    const bool isOwn = found != sessions_.end() && found->second.user == who.user() && !who.isGuest();
    if (found == sessions_.end() || !(isOwn || who.powers().everything))
        throw UserError(3, fmt::format("The session {} debugs no script of yours.", session),
                        "The id is that of the debugger's own connection.");
    return found->second.look(frame, variable);
}

}  // namespace pelorus
