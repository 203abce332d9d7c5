#include "server/connection/line_session.h"

#include "common/error.h"
#include "common/hide_secrets.h"
#include "common/io/audit.h"
#include "common/io/base64.h"
#include "common/log.h"
#include "net/connection.h"
#include "net/host_name.h"
#include "runtime/function/principal.h"
#include "server/access/access_control.h"
#include "server/access/login_throttle.h"
#include "server/access/password_login.h"
#include "server/line_protocol/line_http.h"
#include "server/line_query/append_over_http.h"
#include "server/line_query/line_query.h"
#include "server/mcp/mcp_dialog.h"
#include "server/session/session_registry.h"

namespace pelorus {
namespace {

constexpr size_t kDescriptionBytes = 200;

}  // namespace

LineSession::~LineSession() {
    if (sessionId_ != 0) parts_.sessions.close(sessionId_);
}

std::string LineSession::userByPassword(std::string_view pair) const {
    const size_t colon = pair.find(':');
    if (colon == std::string_view::npos) throw UserError("The user name or password is incorrect.");
    const std::string address = connection_.peerHost();
    const AuditOrigin origin({.user = "guest", .address = address, .port = connection_.peerPort()});
    requirePassword(parts_.access, parts_.throttle.get(),
                    {.user = pair.substr(0, colon), .password = pair.substr(colon + 1), .address = address});
    return std::string(pair.substr(0, colon));
}

std::string LineSession::userOf(const HttpRequest& request) const {
    const std::string_view given = request.header("authorization");
    if (given.starts_with("Basic ")) {
        std::string pair;
        if (!fromBase64(given.substr(6), pair)) throw UserError("The Basic authorization is no Base64.");
        return userByPassword(pair);
    }
    const size_t space = given.find(' ');
    if (given.starts_with("Bearer ") || given.starts_with("Token ")) {
        const std::string_view token = given.substr(space + 1);
        if (const auto user = parts_.access.userOfTicket(token)) {
            if (parts_.throttle) parts_.throttle->requireUnlocked(*user, connection_.peerHost());
            return *user;
        }
        return userByPassword(token);
    }
    if (!given.empty()) throw UserError("Authorization is by Basic, or by a token.");
    // A language model is nobody's sensor: it says who it is.
    const std::string configured = request.path() == kModelPath || !parts_.lines ? "" : parts_.lines->options.user;
    if (!configured.empty() && isLoopbackAddress(connection_.peerHost())) return configured;
    if (parts_.policy.guestsMayRun) return "guest";
    if (request.path() == kModelPath) {
        throw UserError("A language model works for a user: send a ticket as Bearer, or name and password by Basic.",
                        "getAuthenticatedUserTicket() gives a ticket.");
    }
    throw UserError("Who writes lines or queries must say who it is: send a user's name and password by Basic.",
                    "Without them requests of this machine are those of the user in the setting ilpUser.");
}

std::string LineSession::authenticate(const HttpRequest& request) {
    // Asked when the headers have come and again for the answer: the second time is of the same request.
    try {
        user_ = userOf(request);
        return "";
    } catch (const UserError& error) {
        user_.clear();
        return errorText(error);
    }
}

void LineSession::open() {
    if (sessionId_ == 0)
        sessionId_ =
            parts_.sessions.open(connection_.peerHost(), connection_.peerPort(), [this] { connection_.shutdown(); });
    parts_.sessions.setUser(sessionId_, parts_.access.principalOf(user_));
}

HttpResponse LineSession::answerModel(const HttpRequest& request, RequestSlot& slot) {
    const McpRunner run = [&](std::string_view description, const std::function<void(const McpWork&)>& work) {
        RequestSlot::Run running(slot, parts_.sessions,
                                 {.principal = principalOfModel(*parts_.principalOf(sessionId_)),
                                  .sessionId = sessionId_,
                                  .description = std::string(description),
                                  .maxSeconds = kMcpSeconds});
        const std::unique_ptr<ScriptSession> session = parts_.host.newSession();
        work({*parts_.services, running.request(), *session});
    };
    const std::optional<std::string> answer = answerMcp(request.body, run);
    HttpResponse response;
    response.status = answer ? 200 : 202;
    response.contentType = "application/json";
    response.body = answer.value_or("");
    return response;
}

HttpResponse LineSession::answer(HttpRequest& request, RequestSlot& slot, Kind kind, bool onlyAdministrators) {
    try {
        open();
        if (onlyAdministrators) parts_.requireAdministrator(sessionId_);
        const LogSession logged(sessionId_);
        const std::string address = connection_.peerHost();
        const AuditOrigin origin(
            {.user = user_, .address = address, .port = connection_.peerPort(), .session = sessionId_});
        if (kind == Kind::Model) return answerModel(request, slot);
        RequestSlot::Run run(slot, parts_.sessions,
                             {.principal = parts_.principalOf(sessionId_),
                              .sessionId = sessionId_,
                              .description = hideSecretsInBeginning(request.target, kDescriptionBytes)});
        if (kind == Kind::Lines) return writeOverHttp(*parts_.lines, run.request(), tags_, request);
        if (kind == Kind::Rows) return appendOverHttp(*parts_.lines, run.request(), request);
        const std::unique_ptr<ScriptSession> session = parts_.host.newSession();
        return queryOverHttp(*parts_.lines, run.request(), *session, request);
    } catch (const UserError& error) {
        return lineProblem(400, "invalid", errorText(error));
    } catch (const std::exception& error) {
        return lineProblem(503, "unavailable", errorText(error));
    }
}

}  // namespace pelorus
