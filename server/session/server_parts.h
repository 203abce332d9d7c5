// ServerParts holds what the connections of a server share, whatever protocol they speak, and what all of them ask
// before they run a request.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/function/principal.h"
#include "server/access/client_policy.h"
#include "server/session/cancel_keys.h"
#include "server/session/kept_answers.h"
#include "server/session/request_limits.h"
#include "server/session/script_host.h"
#include "server/session/server_state.h"

namespace pelorus {

class AccessControl;
class DebuggedSessions;
class JsonSessions;
class LoginThrottle;
class PageFiles;
class Services;
class SessionRegistry;
class TlsContext;
struct LineService;
namespace postgres {
class StatementCache;
}

// The parts of a server that all its connections share. It outlives them.
struct ServerParts {
    ScriptHost& host;
    SessionRegistry& sessions;
    AccessControl& access;
    const ClientPolicy& policy;
    // Encrypts for clients that begin with a TLS handshake; null: there is no TLS.
    std::shared_ptr<const TlsContext> tls;
    std::shared_ptr<ServerState> state = std::make_shared<ServerState>();
    std::shared_ptr<JsonSessions> jsonSessions;          // null: the Server, or a connection without one, makes it
    std::string nodeName;                                // host name or address that the server listens on
    std::shared_ptr<LoginThrottle> throttle;             // null: wrong logins have no consequences
    std::shared_ptr<const LineService> lines = nullptr;  // null: the line protocol is not spoken
    std::shared_ptr<RequestLimits> limits;               // null: none
    std::shared_ptr<DebuggedSessions> debugged;          // null: each connection makes its own
    std::shared_ptr<KeptAnswers> answers = std::make_shared<KeptAnswers>();
    const Services* services = nullptr;  // of the process; null: PostgreSQL's protocol is not spoken
    std::shared_ptr<CancelKeys> cancelKeys = std::make_shared<CancelKeys>();
    std::shared_ptr<const PageFiles> page;  // what a browser gets at "/"; null: the line of text that others get
    std::shared_ptr<postgres::StatementCache> statements;  // of PostgreSQL's protocol; null: none are kept

    // Returns the session's user with the rights of this moment. Throws UserError when the user does not exist any
    // more.
    std::shared_ptr<const Principal> principalOf(int64_t sessionId) const;
    // Throws UserError unless the session's user is an administrator, another node, or a guest, who may still log in.
    // Called by connections that hold one of the places kept for administrators.
    void requireAdministrator(int64_t sessionId) const;
    // Throws UserError for a result that is larger than the user's QUERY_RESULT_MEM_LIMIT, or memLimitOfQueryResult.
    void requireSize(const Principal& principal, const Value& result) const;
};

// Throws UserError when the user may not send a request for this function; an empty name denotes a script.
void requireLogin(const Principal& principal, std::string_view function);

// Returns an error's message and hint in one line of prose, as clients get it.
std::string errorText(const std::exception& error);

// Writes an error that a client gets to the audit log if it is the refusal of a right.
void auditRefusal(std::string_view failure);

}  // namespace pelorus
