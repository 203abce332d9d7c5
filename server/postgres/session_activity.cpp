#include "server/postgres/session_activity.h"

#include <chrono>

#include "common/thread/lock_waits.h"
#include "runtime/function/principal.h"
#include "server/session/session_registry.h"

namespace pelorus::postgres {
namespace {

constexpr int64_t kNanosOfMilli = 1'000'000;
constexpr int64_t kMillisOfMinute = 60'000;

// Returns by how much the local time that sessions are noted in is ahead of UTC, in milliseconds.
int64_t localOffset() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const int64_t ahead = localMillis() - std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    return (ahead + (ahead < 0 ? -kMillisOfMinute : kMillisOfMinute) / 2) / kMillisOfMinute * kMillisOfMinute;
}

}  // namespace

std::vector<Activity> SessionActivity::sessions(const Context& context) const {
    const int64_t offset = localOffset();
    const auto instant = [offset](int64_t millis) { return millis == 0 ? 0 : (millis - offset) * kNanosOfMilli; };
    std::vector<Activity> list;
    for (const SessionStatus& session : sessions_->all()) {
        const bool isOwn = session.id == context.request->sessionId;
        if (!isOwn && !context.principal().mayManageWorkOf(session.userId)) continue;
        list.push_back({.processId = static_cast<int32_t>(session.id & INT32_MAX),
                        .user = session.userId,
                        .applicationName = session.applicationName,
                        .address = session.remoteHost,
                        .port = session.remotePort,
                        .connected = instant(session.createdMillis),
                        .began = session.running.request ? instant(session.running.receivedMillis) : 0,
                        .lastActive = instant(session.lastActiveMillis),
                        .isRunning = session.running.request != nullptr,
                        .query = session.running.description,
                        .lock = session.running.request ? std::string(lockWaitOf(session.running.request->cancelled))
                                                        : std::string()});
    }
    return list;
}

}  // namespace pelorus::postgres
