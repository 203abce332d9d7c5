// Built-ins about clients' sessions: who is connected, login, and calls that clients make when they connect.
#include <algorithm>

#include "common/error.h"
#include "common/io/audit.h"
#include "common/thread/cancellation.h"
#include "database/service/status_table.h"
#include "runtime/function/principal.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/value/dictionary.h"
#include "server/access/access_control.h"
#include "server/access/client_policy.h"
#include "server/access/encrypted_login.h"
#include "server/access/login_throttle.h"
#include "server/access/password_login.h"
#include "server/builtins/server_builtins.h"
#include "server/builtins/server_services.h"
#include "server/session/debugged_sessions.h"
#include "server/session/session_registry.h"

namespace pelorus {
namespace {

std::string stringArgument(const Arguments& arguments, int i, const char* name) {
    const Value& v = arguments[static_cast<size_t>(i)];
    if (!v.isString()) throw UserError(i, std::string(name) + " must be a STRING.");
    return std::string(v.string());
}

Value requiredApiVersion(Context&, Arguments) {
    return Value::of(makeRef<Tuple>(std::vector<Value>{Value::ofInt(100), Value::ofString("")}));
}

Value isNodeInitialized(Context&, Arguments) {
    return Value::ofBool(true);
}

Value isClientAuth(Context& context, Arguments) {
    const auto* policy = context.service<ClientPolicy>();
    return Value::ofBool(policy && !policy->guestsMayRun);
}

Value login(Context& context, Arguments arguments) {
    // Scripts begin with it; the user of an embedded database owns all of it.
    if (context.service<AccessControl>() == nullptr) return Value::ofBool(true);
    auto& users = requireService<AccessControl>(context, "Users");
    std::string user = stringArgument(arguments, 0, "userId");
    std::string password = stringArgument(arguments, 1, "password");
    const bool isEncrypted = arguments[2].isNumber() && arguments[2].integer() == 1;
    if (isEncrypted) {
        user = decryptLogin(user);
        password = decryptLogin(password);
    }
    auto& sessions = requireService<SessionRegistry>(context, "Sessions");
    const std::string address = sessions.status(context.request->sessionId).remoteHost;
    requirePassword(users, context.service<LoginThrottle>(),
                    {.user = user, .password = password, .address = address, .isEncrypted = isEncrypted});
    sessions.setUser(context.request->sessionId, requireService<AccessControl>(context, "Users").principalOf(user));
    return Value::ofBool(true);
}

Value logout(Context& context, Arguments) {
    audit({.operation = "logout",
           .user = "guest",
           .detail = "logout userId=" + context.request->principal().user() + " sessionOnly=true"});
    requireService<SessionRegistry>(context, "Sessions")
        .setUser(context.request->sessionId, requireService<AccessControl>(context, "Users").principalOf("guest"));
    return Value();
}

Value dynamicPublicKey(Context&, Arguments) {
    return Value::ofString(loginPublicKey());
}

Value changePassword(Context& context, Arguments arguments) {
    auto& users = requireService<AccessControl>(context, "Users");
    const std::string& user = context.request->principal().user();
    if (context.principal().isGuest()) throw UserError("A guest has no password.", "Log in first.");
    const SessionRegistry* sessions = context.service<SessionRegistry>();
    const std::string address = sessions ? sessions->status(context.request->sessionId).remoteHost : "";
    // A client that finds a session of the user must not guess the password with it.
    auto* throttle = context.service<LoginThrottle>();
    if (throttle) throttle->require(user, address);
    if (!users.verify(user, stringArgument(arguments, 0, "oldPwd"))) {
        if (throttle) throttle->failed(user, address);
        throw UserError(0, "The user name or password is incorrect.");
    }
    const std::string password = stringArgument(arguments, 1, "newPwd");
    const auto* policy = context.service<ClientPolicy>();
    requireGoodPassword(password, policy && policy->enhancedSecurity);
    AuditedChange change({.operation = "changePwd", .user = user});
    users.setPassword(user, password);
    change.done();
    return Value();
}

Value currentSessionAndUser(Context& context, Arguments) {
    const int64_t id = context.request->sessionId;
    std::vector<Value> elements{Value::ofLong(id), Value::ofString(context.request->principal().user())};
    if (auto* sessions = context.service<SessionRegistry>()) {
        const SessionStatus status = sessions->status(id);
        elements.push_back(Value::ofString(status.remoteHost));
        elements.push_back(Value::ofInt(status.remotePort));
    }
    return Value::of(makeRef<Tuple>(std::move(elements)));
}

// Users have no SCRAM credentials: this message makes clients fall back to RSA.
Value scramRefused(Context&, Arguments) {
    throw UserError("sha256 authMode doesn't support scram authMode", "Log in with getDynamicPublicKey and login.");
}

Value isLoggedIn(Context& context, Arguments arguments) {
    const std::string user = stringArgument(arguments, 0, "userId");
    const std::vector<SessionStatus> all = requireService<SessionRegistry>(context, "Sessions").all();
    return Value::ofBool(user != "guest" &&
                         std::any_of(all.begin(), all.end(), [&](const SessionStatus& s) { return s.userId == user; }));
}

// closeSessions(sessionId)
Value closeSessions(Context& context, Arguments arguments) {
    auto& sessions = requireService<SessionRegistry>(context, "Sessions");
    const Value& ids = arguments[0];
    for (int64_t i = 0; i < ids.size(); ++i) {
        checkCancelled();
        const Value element = ids.isScalar() ? ids : ids.at(i);
        if (!element.isNumber() || element.isNull()) throw UserError(0, "sessionId must be a number, or several.");
        const int64_t id = element.asLong();
        const SessionStatus status = sessions.status(id);
        // A call on several nodes sends all ids to each node, which handles its own.
        if (status.id == 0) continue;
        if (!context.principal().mayManageWorkOf(status.userId)) {
            throw UserError(0, "The session " + std::to_string(id) + " belongs to another user.", "Log in as admin.");
        }
        if (id != context.request->sessionId) sessions.disconnect(id);
    }
    return Value();
}

constexpr int64_t kNever = 2932896;  // 9999.12.31

Value licenseExpiration(Context&, Arguments) {
    return Value::scalar(Type::Date, kNever);
}

Value license(Context&, Arguments) {
    auto d = makeRef<Dictionary>(Type::String, Type::Any, true);
    const auto set = [&](const char* key, Value value) { d->set(Value::ofString(key), std::move(value)); };
    set("authorization", Value::ofString("open"));
    set("licenseType", Value::ofInt(0));
    set("maxMemoryPerNode", Value::ofInt(0));
    set("maxCoresPerNode", Value::ofInt(0));
    set("clientName", Value::ofString("Pelorus"));
    set("bindCPU", Value::ofBool(false));
    set("expiration", Value::scalar(Type::Date, kNever));
    set("maxNodes", Value::ofInt(0));
    set("version", Value::ofString("3.00"));
    set("modules", Value::ofLong(-1));
    // Clients show another product's pages for any other key.
    set("productKey", Value::ofString("DOLPHIN"));
    return Value::of(std::move(d));
}

Value sessionStatistics(Context& context, Arguments) {
    const TableSchema schema = {{"userId", Type::String, 0, ""},        {"sessionId", Type::Long, 0, ""},
                                {"remoteIP", Type::String, 0, ""},      {"remotePort", Type::Int, 0, ""},
                                {"createTime", Type::Timestamp, 0, ""}, {"lastActiveTime", Type::Timestamp, 0, ""},
                                {"answerBytes", Type::Long, 0, ""}};
    std::vector<std::vector<Value>> rows;
    for (const SessionStatus& s : requireService<SessionRegistry>(context, "Sessions").all()) {
        const Value id = s.showsIdTo(*context.request) ? Value::ofLong(s.id) : Value::nullOf(Type::Long);
        rows.push_back({Value::ofString(s.userId), id, Value::ofString(s.remoteHost), Value::ofInt(s.remotePort),
                        Value::scalar(Type::Timestamp, s.createdMillis),
                        Value::scalar(Type::Timestamp, s.lastActiveMillis), Value::ofLong(s.answerBytes)});
    }
    return statusTable(schema, rows);
}

int64_t integerArgument(const Arguments& arguments, int i, const char* name) {
    const Value& v = arguments[static_cast<size_t>(i)];
    if (!v.isNumber() || v.isNull()) throw UserError(i, std::string(name) + " must be a number.");
    return v.asLong();
}

Value debuggedVariable(Context& context, Arguments arguments) {
    return requireService<DebuggedSessions>(context, "Sessions")
        .variable(integerArgument(arguments, 3, "sessionId"), integerArgument(arguments, 0, "frame"),
                  integerArgument(arguments, 1, "variable"), context.principal());
}

}  // namespace

void registerSessionBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    const FunctionTheme theme("sessions and jobs");
    registry.add("getRequiredAPIVersion()", requiredApiVersion,
                 {.summary = "What a client's version must be: a tuple of a number and a warning.",
                  .example = "getRequiredAPIVersion()"},
                 kReadsBeforeLogin);
    registry.add("isNodeInitialized()", isNodeInitialized,
                 {.summary = "true: a node answers only when it is ready.", .example = "isNodeInitialized() -> true"},
                 kReadsBeforeLogin);
    registry.add("isClientAuth()", isClientAuth,
                 {.summary = "Whether clients must log in before they run scripts.", .example = "isClientAuth()"},
                 kReadsBeforeLogin);
    registry.add("login(userId, password, [encrypted=false])", login,
                 {.summary = "Makes the session that of a user; true when it worked.",
                  .parameters = "encrypted: both strings are encrypted with getDynamicPublicKey() and in base64",
                  .errors = "The user name or password is incorrect; there were too many wrong logins; the user is "
                            "locked.",
                  .example = "login(\"ann\", \"secret-12\")"},
                 {.facet = Facet::Open});
    registry.add("logout()", logout, {.summary = "Makes the session that of a guest again.", .example = "logout()"},
                 {.facet = Facet::Open});
    registry.add("getDynamicPublicKey()", dynamicPublicKey,
                 {.summary = "The public RSA key, in PEM form, that logins can be encrypted with.",
                  .example = "getDynamicPublicKey()"},
                 kReadsBeforeLogin);
    registry.add("scramClientFirst(user, clientNonce)", scramRefused,
                 {.summary = "Refused: passwords are kept as scrypt hashes, which SCRAM cannot check.",
                  .errors = "Always; clients then log in with getDynamicPublicKey.",
                  .example = "login(\"ann\", \"secret-12\")  // in its place"},
                 {.facet = Facet::Open});
    registry.add("scramClientFinal(user, combinedNonce, clientProof)", scramRefused,
                 {.summary = "Refused, as scramClientFirst is.",
                  .parameters = "user, combinedNonce, clientProof: not read, for every call is an error",
                  .errors = "Always.",
                  .example = "login(\"ann\", \"secret-12\")  // in its place"},
                 {.facet = Facet::Open});
    registry.add("isLoggedIn(userId)", isLoggedIn,
                 {.summary = "Whether a session of the server is that user's.", .example = "isLoggedIn(\"ann\")"},
                 kReads);
    registry.add("changePwd(oldPwd, newPwd)", changePassword,
                 {.summary = "Gives the user of the session a new password of 6 to 64 bytes; with "
                             "enhancedSecurityVerification, of 8 to 20 with a capital, a digit and a special "
                             "character.",
                  .errors = "The old password is wrong; the new one is too simple.",
                  .example = "changePwd(\"secret-12\", \"secret-56\")"});
    registry.add("getCurrentSessionAndUser()", currentSessionAndUser,
                 {.summary = "A tuple of the session's id, its user, and the client's address and port.",
                  .example = "getCurrentSessionAndUser()[1]"},
                 kReadsBeforeLogin);
    registry.add(
        "license()", license,
        {.summary = "A dictionary that tells clients that nothing is limited.", .example = "license().expiration"},
        kReadsBeforeLogin);
    registry.add("getLicenseExpiration()", licenseExpiration,
                 {.summary = "The last day of the licence, as DATE: never, since there is none.",
                  .example = "getLicenseExpiration() -> 9999.12.31"},
                 kReads);
    registry.add("updateLicense()", license,
                 {.summary = "As license(): there is nothing to update, since nothing is limited.",
                  .example = "updateLicense()"});
    registry.add("closeSessions(sessionId)", closeSessions,
                 {.summary = "Ends the connections of sessions, and cancels what they run; not the session that asks.",
                  .parameters = "sessionId: one or several, as in getSessionMemoryStat()",
                  .errors = "A session belongs to another user.",
                  .example = "closeSessions(exec sessionId from getSessionMemoryStat() where userId = \"ann\")"});
    registry.add(
        "getVariable(frame, variable, name, sessionId)", debuggedVariable,
        {.summary = "A variable of a script that the user debugs on another connection, while it is stopped.",
         .parameters = "frame, variable: the ids that the debugger lists; name: of the variable, for people; "
                       "sessionId: of the debugger's connection",
         .errors = "The session debugs no script of the user; the script is not stopped; there is no such call "
                   "or variable.",
         .example = "getVariable(1, 2, \"prices\", 972742799)"},
        kReads);
    registry.add(
        "getSessionMemoryStat()", sessionStatistics,
        {.summary = "A table of the sessions of the server; answerBytes are those of a result that its client has not "
                    "read yet. The id of a session of the JSON interface, which opens "
                    "it, is NULL for other users than its own and admin.",
         .example = "select userId, remoteIP, lastActiveTime, answerBytes from getSessionMemoryStat()"},
        kReads);
}

}  // namespace pelorus
