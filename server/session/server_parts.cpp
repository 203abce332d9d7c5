#include "server/session/server_parts.h"

#include "common/error.h"
#include "common/io/audit.h"
#include "runtime/registry/registry.h"
#include "runtime/table/value_bytes.h"
#include "server/access/access_control.h"
#include "server/session/session_registry.h"

namespace pelorus {

void auditRefusal(std::string_view failure) {
    const auto says = [&](std::string_view words) { return failure.find(words) != std::string_view::npos; };
    if (says("<NoPrivilege>") || says("Only administrators execute function "))
        audit({.operation = "refused", .detail = failure});
}

std::string errorText(const std::exception& error) {
    const auto* ours = dynamic_cast<const Error*>(&error);
    if (!ours || ours->hint().empty()) return error.what();
    return std::string(error.what()) + ' ' + ours->hint();
}

std::shared_ptr<const Principal> ServerParts::principalOf(int64_t sessionId) const {
    const SessionStatus status = sessions.status(sessionId);
    return access.principalOf(status.userId, status.isNode);
}

void requireLogin(const Principal& principal, std::string_view function) {
    if (principal.powers().callsPublic) {
        if (function.empty()) principal.requireScripts();
        return;
    }
    const BuiltinFunction* builtin = FunctionRegistry::instance().find(function);
    if (builtin && builtin->declaration().facet == Facet::Open) return;
    throw UserError("Login is required for script execution with client authentication enabled.");
}

void ServerParts::requireSize(const Principal& principal, const Value& result) const {
    const int64_t ofUser = principal.granted() ? principal.granted()->maxResultBytes() : 0;
    const int64_t ofServer = limits ? limits->maxResultBytes.load() : 0;
    const bool isUsers = ofUser > 0 && (ofServer == 0 || ofUser < ofServer);
    const int64_t most = isUsers ? ofUser : ofServer;
    if (most == 0) return;
    const int64_t bytes = memoryBytesOf(result);
    if (bytes <= most) return;
    throw UserError(
        "The result of " + std::to_string(bytes) + " bytes is larger than the " + std::to_string(most) + " that " +
            (isUsers ? "QUERY_RESULT_MEM_LIMIT allows " + principal.user() : "memLimitOfQueryResult allows") + ".",
        "Ask for fewer rows or columns.");
}

void ServerParts::requireAdministrator(int64_t sessionId) const {
    const auto principal = principalOf(sessionId);
    if (principal->isGuest() || principal->administers() || principal->isNode()) return;
    throw UserError("All places for connections are taken; only an administrator can log in.",
                    "Try again later, or raise maxConnections.");
}

}  // namespace pelorus
