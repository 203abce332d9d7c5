#include "server/connection/user_session.h"

#include <exception>
#include <thread>

#include "common/error.h"
#include "common/hide_secrets.h"
#include "common/io/audit.h"
#include "common/thread/thread_start.h"
#include "net/connection.h"
#include "server/access/access_control.h"
#include "server/session/session_registry.h"

namespace pelorus {

namespace {

constexpr size_t kDescriptionBytes = 200;

// Runs a request on a new thread: the server may lower the thread of a long one, and the next one must not be slow for
// that.
template <class Work>
void onFreshThread(const Work& work) {
    std::exception_ptr failure;
    std::thread thread = startThread([&] {
        try {
            work();
        } catch (...) {
            failure = std::current_exception();
        }
    });
    thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

UserSession::UserSession(Connection& connection, ServerParts& server, RequestSlot& slot, const std::string& user)
    : server_(server),
      slot_(slot),
      session_(server.host.newSession()),
      peerHost_(connection.peerHost()),
      peerPort_(connection.peerPort()),
      id_(server.sessions.open(peerHost_, peerPort_, [&connection] { connection.shutdown(); })) {
    setUser(user);
}

UserSession::~UserSession() {
    server_.sessions.close(id_);
}

void UserSession::setUser(const std::string& user) {
    server_.sessions.setUser(id_, server_.access.principalOf(user));
}

Value UserSession::carryOut(std::string_view description, RequestSlot::Details details,
                            const std::function<Value(ScriptSession&, Request&)>& work) {
    Value result;
    onFreshThread([&] {
        if (server_.state->isStopping)
            throw UserError("The server is stopping. RefId: S00005", "Try again when it is back.");
        ++server_.state->requests;
        details.principal = server_.principalOf(id_);
        details.sessionId = id_;
        details.description = hideSecretsInBeginning(description, kDescriptionBytes);
        requireLogin(*details.principal, "");
        const AuditOrigin origin(
            {.user = details.principal->user(), .address = peerHost_, .port = peerPort_, .session = id_});
        RequestSlot::Run run(slot_, server_.sessions, std::move(details));
        try {
            result = work(*session_, run.request());
            server_.requireSize(run.request().principal(), result);
        } catch (const std::exception& error) {
            ++server_.state->failures;
            auditRefusal(error.what());
            const std::string reason = slot_.explain("");
            if (!reason.empty()) throw UserError(reason);
            throw;
        }
    });
    slot_.takeLowered();
    return result;
}

void UserSession::interrupt() {
    const SessionStatus status = server_.sessions.status(id_);
    if (status.running.request) status.running.request->cancelled = true;
}

}  // namespace pelorus
